/** The service behind a real PgBouncer: it ends with the reason and the remedy, since no retry can mend what a pooler drops. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { makeFolder } from '../../support/clean-up.ts';
import { findFreePort } from '../../support/find-free-port.ts';
import { hasTool } from '../../support/has-tool.ts';
import { startService } from '../../support/start-service.ts';
import { createMigratedDatabase, type TemporaryDatabase } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

const nobody = 65_534;
it('a service behind PgBouncer ends with the reason and the remedy', { timeout: 120_000 }, async (t) => {
  if (!hasTool(t, 'pgbouncer')) return;
  const database = await createMigratedDatabase(await findServer(18));
  t.after(() => database.remove());
  for (const [settings, reason] of [
    [
      '',
      /unsupported startup parameter: options; connect to the server directly, not through a pooler such as PgBouncer/,
    ],
    ['ignore_startup_parameters = options', /although the service has set it: connect to the server directly/],
  ] as const) {
    const url = await startPgBouncer(t, database, settings);
    await assert.rejects(startService(t, { env: { DATABASE_URL: url } }), reason);
  }
});

async function startPgBouncer(t: TestContext, { url }: TemporaryDatabase, settings: string): Promise<string> {
  const folder = await makeFolder(t);
  const port = await findFreePort();
  const { hostname, port: serverPort, password, pathname } = new URL(url);
  const target = `host=${hostname} port=${serverPort} user=postgres password=${password} dbname=${pathname.slice(1)}`;
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]\nplants = ${target}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n${settings}\n`,
  );
  const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if ('uid' in owner) {
    chmodSync(folder, 0o755);
    chownSync(config, nobody, nobody);
  }
  const child = spawn('pgbouncer', [config], { ...owner, stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGQUIT');
    await closed;
  });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('process up')) break;
  child.stderr.resume();
  return `postgres://plants@127.0.0.1:${port}/plants`;
}
