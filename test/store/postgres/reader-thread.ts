/** Reads plants for a thread that waits: the answer lies in its port before it is woken. See support/store-under-test.ts. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Connection } from '../../../src/store/postgres/connection.ts';
import { connectTo } from './open-temporary-database.ts';

export interface ReadRequest {
  readonly url: string;
  readonly where: string;
  readonly answer: MessagePort;
  readonly done: Int32Array;
}

const connections = new Map<string, Connection>();

async function read({ url, where }: ReadRequest): Promise<unknown> {
  const connection = connections.get(url) ?? (await connectTo(url));
  connections.set(url, connection);
  const { rows } = await connection.run(`SELECT id, name, tag FROM plants WHERE ${where} ORDER BY id`, [], 60_000);
  return { rows };
}

parentPort?.on('message', (request: ReadRequest) => {
  void read(request)
    .catch((error: unknown) => ({ error: String(error) }))
    .then((answer) => {
      request.answer.postMessage(answer);
      Atomics.store(request.done, 0, 1);
      Atomics.notify(request.done, 0);
    });
});
