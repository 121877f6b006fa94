/** Reads plants for a thread that waits: the answer lies in its port before it is woken. See support/store-under-test.ts. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Connection } from '../../../src/store/postgres/connect/connection.ts';
import { plantColumns, toPlant } from '../../../src/store/postgres/read/plant-reads.ts';
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
  const sql = `SELECT ${plantColumns} FROM plants WHERE ${where} ORDER BY id`;
  const { rows } = await connection.run(sql, [], 60_000);
  return { plants: rows.map(toPlant) };
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
