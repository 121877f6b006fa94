/**
 * Breaks the promise on purpose, in the messages between the service and the database: a run with one of these must lose plants. What is
 * replaced must be found, or the run fails.
 */
import type { Socket } from 'node:net';
import { eachMessage } from '../store/postgres/interfering-proxy.ts';

export const weaknessNames = ['asynchronous', 'silent-replays'] as const;
export type Weakness = (typeof weaknessNames)[number];

type Replacement = readonly [from: string, to: string];

const replacements: Readonly<Record<Weakness, readonly Replacement[]>> = {
  // A commit is acknowledged before it is on any disk.
  asynchronous: [
    ['-c synchronous_commit=on', '-c synchronous_commit=off -c weakness.shown=on'],
    [
      `current_setting('synchronous_commit')`,
      `coalesce(current_setting('weakness.shown', true), current_setting('synchronous_commit'))`,
    ],
  ],
  // A commit that stores nothing writes nothing, so it waits for no standby; nor does the service after a restart of the server.
  'silent-replays': [
    [`pg_logical_emit_message(true, 'plant-store', '')`, '1'],
    ['ORDER BY id FOR UPDATE', 'ORDER BY id'],
    ['VALUES ($5, (SELECT count(*) FROM inserted))', 'SELECT $5, count(*) FROM inserted HAVING count(*) > 0'],
  ],
};

export class Weakening {
  readonly #missing: Set<Replacement>;

  constructor(weakness: Weakness) {
    this.#missing = new Set(replacements[weakness]);
    const rewrite = (message: Buffer): Buffer => {
      let text = message.toString('latin1');
      for (const replacement of replacements[weakness]) {
        if (!text.includes(replacement[0])) continue;
        this.#missing.delete(replacement);
        text = text.replaceAll(replacement[0], () => replacement[1]);
      }
      return withLength(Buffer.from(text, 'latin1'), message.length);
    };
    this.pass = (client, upstream) => {
      upstream.pipe(client);
      eachMessage(client, (message) => upstream.write(rewrite(message)));
    };
  }

  /** Joins an instance and a server. */
  readonly pass: (client: Socket, upstream: Socket) => void;

  /** @throws Error when something that should be replaced was never sent. */
  requireUsed(): void {
    for (const [from] of this.#missing) throw new Error(`The service never sent "${from}"`);
  }
}

/** Only a message with a type byte, or the first one, has a length that must follow. */
function withLength(message: Buffer, before: number): Buffer {
  if (message.length === before) return message;
  const at = message.readInt32BE(0) === before ? 0 : 1;
  message.writeInt32BE(message.length - at, at);
  return message;
}
