/** A waiting plant keeps itself in memory, not the body it came in. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { NewPlant } from '../../src/domain/schemas.ts';
import type { Store } from '../../src/domain/store.ts';
import { startServer } from '../support/start-server.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const count = 300;
/** Memory per waiting create, in bytes, including connection and request; bodies have 60 kB each. */
const bytesMax = 24_000;

async function readMemory(): Promise<number> {
  // Closed sockets are released only after a turn.
  for (let time = 0; time < 3; time++) {
    await setTimeout(50);
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A name long enough for V8 to make it a slice of the surrounding text. */
const plant = '"id":7,"name":"a name of more than twelve letters"';
const bodies = {
  'white space': `{${plant}${' '.repeat(60_000)}}`,
  'unknown members': `{${plant},"x":[${'{"y":[{}]},'.repeat(5_000)}1]}`,
  'an escaped name': `{"id":7,"name":"a\\u00e9 name of more than twelve letters"${' '.repeat(60_000)}}`,
};

describe('a create that waits', () => {
  for (const [what, body] of Object.entries(bodies)) {
    it(`does not keep ${what}`, async (context) => {
      const waiting: NewPlant[] = [];
      const stuck = {
        requireWritable: () => undefined,
        tokens: {},
        plants: {
          revision: () => 1,
          create: (given: NewPlant) => {
            waiting.push(given);
            return new Promise(() => undefined);
          },
        },
      };
      const port = await startServer(context, stuck as unknown as Store);
      const head = `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const create = async (): Promise<void> => {
        const wanted = waiting.length + 1;
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        context.after(() => void socket.destroy());
        socket.write(head);
        socket.write(body);
        while (waiting.length < wanted) await setTimeout(1);
      };
      for (let warmUp = 0; warmUp < 20; warmUp++) await create();
      const before = await readMemory();
      for (let number = 0; number < count; number++) await create();
      const bytes = ((await readMemory()) - before) / count;
      context.diagnostic(`${Math.round(bytes)} bytes for each`);
      assert.ok(bytes < bytesMax, `${Math.round(bytes)} bytes for each`);
      assert.deepEqual(Object.keys(waiting.at(-1) ?? {}), ['id', 'name']);
    });
  }
});
