/** What a client may want in place of the usual answer. Only a sandbox finds any. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../../contract/operations.ts';
import type { Reply } from '../wire/reply.ts';

export interface ForcedAnswerFinder {
  /** Returns undefined if the client prefers nothing. */
  find(request: IncomingMessage, operation: Operation): ForcedAnswer | undefined;
}

export interface ForcedAnswer {
  /** Undefined: the request is served as usual. */
  readonly reply: Reply | undefined;
  /**
   * Resolves to the reply, after the delay that the client wants, and tells it what was applied.
   * @throws ClientGoneError if the client disconnects while it waits.
   */
  apply(exchange: Forceable): Promise<Reply | undefined>;
}

export interface Forceable {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Set if the client wants half of the reply. */
  isCut: boolean;
}
