/** `serve` in environments that others make: volumes, users, shells and limits. Needs root, who can make them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { certificate, privateKey } from '../edge/self-signed.ts';
import { makeFolder } from '../support/clean-up.ts';
import { openTerminal } from '../support/open-terminal.ts';
import { assertServes } from '../support/plants.ts';
import type { LogLine } from '../support/service-run.ts';
import { hasTool } from '../support/has-tool.ts';
import { skipLoudly } from '../support/skip-loudly.ts';
import { startProcess } from '../support/start-process.ts';
import { mountSmallDisk } from '../store/small-disk.ts';
import { mainPath, runCli } from './run-cli.ts';

/** Has no entry in the list of users. */
const user = 4242;
const asUser = (gid = user): string[] => ['setpriv', `--reuid=${user}`, `--regid=${gid}`, '--clear-groups'];
/** Fails where that user cannot read the project, as in a home folder. */
const runsAs = (wrapper: readonly string[]): string[] => [...wrapper, process.execPath, mainPath, '--version'];

/** Whether a program with its arguments works here; skips the test otherwise. */
function has(t: TestContext, [file = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return true;
  } catch (error) {
    skipLoudly(t, `it needs "${[file, ...args].join(' ')}": ${String(error).split('\n')[0] ?? ''}`);
    return false;
  }
}

/** A folder that every user can reach. */
async function makeReachable(t: TestContext): Promise<string> {
  const folder = await makeFolder(t);
  chmodSync(folder, 0o755);
  return folder;
}

const withMessage =
  (start: string) =>
  (line: LogLine): boolean =>
    line.msg.startsWith(start);

describe('plant-store serve', () => {
  it('uses a volume that Kubernetes has made for a group, and never takes the access of the group', async (t) => {
    if (!has(t, runsAs(asUser()))) return;
    const dataDir = join(await makeReachable(t), 'data');
    mkdirSync(join(dataDir, 'lost+found'), { recursive: true, mode: 0o700 });
    chownSync(dataDir, 0, 1_000);
    chmodSync(dataDir, 0o2775);
    for (let start = 1; start <= 2; start += 1) {
      const service = await startProcess(t, { dataDir, wrapper: asUser(1_000) });
      await assertServes(service);
      await service.stop();
      assert.equal(statSync(dataDir).mode & 0o7777, 0o2775);
    }
    for (const name of ['plants.db', 'plants.lock']) assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600);
    // Commands that root runs there leave a folder and files that the service can use.
    const backup = join(await makeFolder(t), 'backup.db');
    const place = ['--data-dir', dataDir];
    for (const args of [
      ['backup', backup],
      ['restore', backup, '--force'],
      ['token', 'list'],
    ])
      assert.equal((await runCli([...args, ...place])).code, 0, args.join(' '));
    rmSync(join(dataDir, 'plants.lock'));
    assert.equal((await runCli(['restore', backup, '--force', ...place], {}, undefined, { now: () => 1 })).code, 0);
    await assertServes(await startProcess(t, { dataDir, wrapper: asUser(1_000) }));
  });

  it('refuses a folder of another user that everybody can write to, and runs in the one that the message names', async (t) => {
    if (!has(t, runsAs(asUser()))) return;
    const dataDir = await makeReachable(t);
    chmodSync(dataDir, 0o1777);
    let advised = '';
    await assert.rejects(startProcess(t, { dataDir, wrapper: asUser() }), ({ message }: Error) => {
      advised = /other users can write to it .*; use a folder in it, such as (\S+)/.exec(message)?.[1] ?? '';
      return true;
    });
    assert.deepEqual(readdirSync(dataDir), []);
    await assertServes(await startProcess(t, { dataDir: advised, wrapper: asUser() }));
  });

  it('serves the user of a folder after root has restored a backup, or has run the service there', async (t) => {
    if (!has(t, runsAs(asUser()))) return;
    const folder = await makeReachable(t);
    const [dataDir, backup] = [join(folder, 'data'), join(folder, 'backup.db')];
    mkdirSync(dataDir, { mode: 0o700 });
    chownSync(dataDir, user, user);
    await (await startProcess(t, { dataDir, firstToken: 'made' })).stop();
    for (const name of readdirSync(dataDir)) assert.equal(statSync(join(dataDir, name)).uid, user, name);
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name));
    const second = await startProcess(t, { dataDir, wrapper: asUser() });
    await assertServes(second);
    await second.stop();
    const place = ['--data-dir', dataDir];
    assert.equal((await runCli(['backup', backup, ...place])).code, 0);
    assert.equal(statSync(backup).uid, 0, 'in a folder of root');
    const backups = join(folder, 'backups');
    mkdirSync(backups, { mode: 0o700 });
    chownSync(backups, user, user);
    assert.equal((await runCli(['backup', join(backups, 'backup.db'), ...place])).code, 0);
    assert.equal(statSync(join(backups, 'backup.db')).uid, user, 'in a folder of the user');
    for (let round = 1; round <= 2; round += 1) {
      assert.equal(
        (await runCli(['restore', backup, '--force', ...place], {}, undefined, { now: () => round })).code,
        0,
      );
      const restored = await startProcess(t, { dataDir, wrapper: asUser() });
      await assertServes(restored);
      await restored.stop();
      rmSync(dataDir, { recursive: true });
      mkdirSync(dataDir, { mode: 0o700 });
      chownSync(dataDir, user, user);
    }
  });

  it('runs as in a container: no name, no capabilities, on a disk that is read-only except for the data', async (t) => {
    const readOnly = ['unshare', '--mount', 'sh', '-c', 'mount -o remount,bind,ro / && exec "$@"', 'sh'];
    const disk = await mountSmallDisk(t, '16m');
    if (disk === undefined || !has(t, runsAs([...readOnly, ...asUser()]))) return;
    chownSync(disk.folder, user, user);
    chmodSync(disk.folder, 0o700);
    const wrapper = [...readOnly, ...asUser(), '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
    await assertServes(await startProcess(t, { dataDir: disk.folder, wrapper }));
  });

  it('listens on this machine only in a shell that sets HOST', async (t) => {
    if (!hasTool(t, 'tcsh')) return;
    const service = await startProcess(t, { wrapper: ['tcsh', '-fc', 'exec $argv:q'] });
    assert.equal(new URL(service.url).hostname, '127.0.0.1');
    assert.equal((await service.findLog(withMessage('Ready')))['listeningOn'], undefined);
  });

  it('says what a limit on open files reduces, until it is raised as the message says', async (t) => {
    const low = await startProcess(t, { filesMax: 256 });
    const warning = await low.findLog(withMessage('The limit on open files'));
    assert.deepEqual([warning['openFilesMax'], warning['connectionsMax']], [256, 64]);
    await assertServes(low);
    const filesMax = Number(/raise it to (\d+) with/.exec(warning.msg)?.[1]);
    const high = await startProcess(t, { filesMax });
    assert.ok(!high.logLines.some(withMessage('The limit on open files')), high.output());
  });

  /** Code that sends this to the process before it listens. */
  const sendEarly = (signal: NodeJS.Signals, before = ''): string =>
    `data:text/javascript,${encodeURIComponent(
      `import module, { syncBuiltinESMExports } from 'node:module';
       module.enableCompileCache = () => { ${before}process.kill(process.pid, '${signal}'); return {}; };
       syncBuiltinESMExports();`,
    )}`;

  it('starts although SIGHUP comes early, and while it reads its TLS files, unless a terminal sends it', async (t) => {
    const folder = await makeFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, certificate);
    writeFileSync(key, privateKey);
    const options = {
      // A signal itself waits for a turn of the event loop, which comes while the files are read.
      nodeArgs: ['--import', sendEarly('SIGHUP', `process.emit('SIGHUP', 'SIGHUP'); `)],
      flags: ['--tls-cert', cert, '--tls-key', key],
    };
    const service = await startProcess(t, options);
    await assertServes({ ...service, ca: certificate });
    assert.ok(!service.logLines.some(({ msg }) => msg === 'Draining'), service.output());
    const terminal = await openTerminal(t);
    if (terminal === undefined) return;
    const closed = await startProcess(t, { ...options, stdin: terminal.fd });
    assert.deepEqual(await closed.exited, { code: 0, signal: null }, closed.output());
  });

  it('takes a signal that npm hands on for the one that came before it listened', async (t) => {
    const nodeArgs = ['--import', sendEarly('SIGINT', "process.emit('SIGINT', 'SIGINT'); ")];
    const service = await startProcess(t, { env: { npm_lifecycle_event: 'start' }, nodeArgs });
    assert.deepEqual(await service.exited, { code: 0, signal: null }, service.output());
  });

  it('stops at a SIGTERM that comes before it listens, also as the first process of a container', async (t) => {
    const early = sendEarly('SIGTERM');
    const alone = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;
    if (!has(t, [...alone, 'true'])) return;
    for (const wrapper of [[], alone]) {
      const service = await startProcess(t, { wrapper, nodeArgs: ['--import', early] });
      assert.deepEqual(await service.exited, { code: 0, signal: null }, service.output());
      assert.ok(
        service.logLines.some(({ msg }) => msg === 'Draining'),
        service.output(),
      );
    }
  });
});
