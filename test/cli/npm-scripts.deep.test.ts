/** `npm start` and `npm run demo` as people and supervisors run them: npm is between them and the service. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { transcribe } from '../support/transcript.ts';

interface Script {
  /** Resolves once it has printed this. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal to npm and all that it has started, as a terminal does. */
  signalAll(signal: NodeJS.Signals): void;
  /** Sends SIGTERM to npm. Resolves to all output, once everything has ended. */
  stop(): Promise<string>;
}

function runScript(t: TestContext, args: readonly string[], env: NodeJS.ProcessEnv): Script {
  const cwd = join(import.meta.dirname, '..', '..');
  const npm = spawn('npm', args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(npm, 'close');
  const transcript = transcribe(npm);
  const stop = async (): Promise<string> => {
    npm.kill('SIGTERM');
    await ended;
    return transcript.text;
  };
  cleanUp(t, async () => {
    await stop();
  });
  return {
    stop,
    signalAll: (signal) => {
      assert.ok(npm.pid !== undefined);
      process.kill(-npm.pid, signal);
    },
    printed: (pattern) => transcript.find((text) => pattern.exec(text)),
  };
}

it('npm start hands SIGTERM on to the service, which drains and ends', { timeout: 120_000 }, async (t) => {
  const env = { PORT: '0', LOG_FORMAT: 'json', PLANT_STORE_DATA_DIR: await makeFolder(t) };
  const service = runScript(t, ['start'], env);
  await service.printed(/"Ready"/);
  assert.match(await service.stop(), /"msg":"Draining"[\s\S]*"msg":"Stopped"/);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  it(
    `npm start takes a ${signal} to all its processes for one, and ends the requests in progress`,
    { timeout: 120_000 },
    async (t) => {
      const folder = await makeFolder(t);
      const service = runScript(t, ['start'], { PORT: '0', LOG_FORMAT: 'json', PLANT_STORE_DATA_DIR: folder });
      const [, url = ''] = await service.printed(/"url":"([^"]+)".*"Ready"/);
      const token = (await readFile(join(folder, 'initial-token'), 'utf8')).trim();
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        expect: '100-continue',
      };
      const creation = request(`${url}/plants`, { method: 'POST', headers });
      creation.flushHeaders();
      await once(creation, 'continue');
      service.signalAll(signal);
      await service.printed(/"Draining"/);
      // By then, npm has handed the signal on, and the service has seen that npm ended.
      await sleep(500);
      creation.end('{"id":1,"name":"Aloe"}');
      const [{ statusCode }] = (await once(creation, 'response')) as [IncomingMessage];
      assert.equal(statusCode, 200);
      await service.printed(/"Stopped"/);
    },
  );

it('npm run demo prepares the console, and serves it and its plants', { timeout: 120_000 }, async (t) => {
  const demo = runScript(t, ['run', 'demo'], { PORT: '0' });
  await demo.printed(/ensure-console/);
  const [, authorization = '', plant = '', url = ''] = await demo.printed(
    /curl -H 'Authorization: (Bearer sandbox-\w+)' ((\S+)\/plants\/7)\n/,
  );
  assert.equal((await fetch(plant, { headers: { authorization } })).status, 200);
  for (const page of ['/console', '/docs']) assert.match(await (await fetch(url + page)).text(), /<!doctype html>/i);
});
