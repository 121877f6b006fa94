/** A proxy in front of a server that reads the messages of its clients, and does something else with one of them. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Cleanup } from '../../support/clean-up.ts';
import { findFreePort } from '../../support/find-free-port.ts';
import { forward } from '../../support/forward.ts';

/** What happens to the next message that contains the text. */
export type Interference =
  /** The message does not reach the server, and nobody answers. */
  | 'swallow'
  /** The message reaches the server; the answer is lost. */
  | 'silence'
  /** The message reaches the server; the connection is closed without an answer. */
  | 'cut'
  /**
   * The message does not reach the server; these bytes are the answer, and the connection is closed
   * if they say so.
   */
  | { readonly answer: Buffer; readonly isLast: boolean };

/** The types of messages of which each gets one answer, and the type of the last message of an answer. */
const [query, sync, readyForQuery] = Buffer.from('QSZ');

export interface InterferingProxy {
  /** The URL of the server, through the proxy. */
  readonly url: string;
  /** Applies to the next message that contains `text`, on whichever connection. */
  interfere(text: string, how: Interference): void;
  /** Whether that message has come. */
  hasInterfered(): boolean;
  /** Refuses connections, and cuts those that are open. */
  goAway(): void;
  comeBack(): Promise<void>;
  /** From now on nothing reaches the other side, not even the end of a connection. */
  hang(): void;
}

/** Starts a proxy, which stops when `scope` ends. @param serverUrl names a server on this machine, with its port. */
export async function startProxy(scope: Cleanup, serverUrl: string): Promise<InterferingProxy> {
  const serverPort = Number(new URL(serverUrl).port);
  let next: { readonly text: string; readonly how: Interference } | undefined;
  let isHanging = false;
  const pass = (client: Socket, upstream: Socket): void => {
    let isSilent = false;
    /** Answers of the server that are still to come: to the login, and to each query. */
    let due = 1;
    const onceAnswered = (act: () => void): void => {
      if (due === 0 || client.destroyed) act();
      else setTimeout(onceAnswered, 10, act);
    };
    upstream.on('data', (bytes) => {
      if (!isSilent) client.write(bytes);
    });
    const count = ([type]: Buffer): void => {
      if (type === readyForQuery) due -= 1;
    };
    eachMessage(upstream, count, 1);
    eachMessage(client, (message) => {
      if (isHanging) return;
      const how = next !== undefined && message.includes(next.text) ? next.how : undefined;
      if (how !== undefined) next = undefined;
      if (typeof how === 'object') {
        // After the answers to what was sent before.
        onceAnswered(() => {
          client.write(how.answer);
          if (how.isLast) client.end();
        });
        return;
      }
      if (how === 'swallow') return;
      if (message[0] === query || message[0] === sync) due += 1;
      upstream.write(message);
      if (how === undefined) return;
      isSilent = true;
      // Not before the server has done it; a query may come in several messages.
      if (how === 'cut') setTimeout(onceAnswered, 100, () => client.destroy());
    });
    if (isHanging) for (const socket of [client, upstream]) socket.pause();
  };
  const { port, server, sockets, cut } = await forward(scope, () => [serverPort], pass, await findFreePort());
  return {
    url: serverUrl.replace(/:\d+\//, `:${port}/`),
    interfere: (text, how) => (next = { text, how }),
    hasInterfered: () => next === undefined,
    goAway: () => {
      server.close();
      cut();
    },
    comeBack: async () => {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    hang: () => {
      isHanging = true;
      // Not even the end of a connection is read.
      for (const socket of sockets) socket.pause();
    },
  };
}

/** Messages of the protocol of PostgreSQL: a type byte, which the first one of a client does not have, and the length of the rest. */
export function eachMessage(socket: Socket, take: (message: Buffer) => void, typeBytes = 0): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    while (pending.length >= typeBytes + 4) {
      const length = typeBytes + pending.readInt32BE(typeBytes);
      if (pending.length < length) return;
      take(pending.subarray(0, length));
      pending = pending.subarray(length);
      typeBytes = 1;
    }
  });
}

/** An ErrorResponse, or with `N` a NoticeResponse. */
export function toErrorMessage(type: 'E' | 'N', severity: string, code: string): Buffer {
  const fields = Object.entries({ S: severity, V: severity, C: code, M: 'made by the test' });
  return toMessage(type, `${fields.map(([field, value]) => `${field}${value}\0`).join('')}\0`);
}

/** CommandComplete and ReadyForQuery. */
export function toCompletion(command: string): Buffer {
  return Buffer.concat([toMessage('C', `${command}\0`), toMessage('Z', 'I')]);
}

function toMessage(type: string, body: string): Buffer {
  const message = Buffer.alloc(5 + Buffer.byteLength(body));
  message.write(type, 0);
  message.writeInt32BE(message.length - 1, 1);
  message.write(body, 5);
  return message;
}
