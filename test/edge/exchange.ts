/** Sends bytes, closes the sending side, and reads until the service closes. */
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import type { Target } from '../support/request.ts';

/** Much longer than any time-out of the service for a complete message. */
const withinMs = 120_000;

/** @throws Error if the service keeps the connection open. */
export function exchange({ port }: Target, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    const late = setTimeout(() => socket.destroy(new Error('The service keeps the connection open')), withinMs);
    let failure: NodeJS.ErrnoException | undefined;
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => (failure = error));
    socket.on('close', () => {
      clearTimeout(late);
      if (failure === undefined || failure.code === 'ECONNRESET' || failure.code === 'EPIPE')
        resolve(Buffer.concat(chunks));
      else reject(failure);
    });
    socket.end(bytes);
  });
}
