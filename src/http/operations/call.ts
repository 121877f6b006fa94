/** The input of a handler: a request's checked values, typed by its operation. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ContentOf, OperationId, ParametersOf } from '../../contract/load-contract.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Operations } from '../../domain/schemas.ts';
import type { Store } from '../../domain/store.ts';
import type { Space } from '../space.ts';
import type { Reply } from '../wire/reply.ts';

/** A request that has passed all steps before its handler. */
export interface Call<Id extends OperationId> {
  readonly parameters: ParametersOf<Id>;
  readonly body: BodyOf<Id>;
  readonly principal: PrincipalOf<Id>;
  /** The media type of the operation that the client prefers. */
  readonly mediaType: string;
  readonly client: Client;
}

/** Who waits for the reply, as far as a handler needs to know. */
export interface Client {
  /** The header fields as received, for those that the description does not name. */
  readonly headers: IncomingHttpHeaders;
  /** Whether the content of the reply is dropped. */
  readonly isHead: boolean;
  /** Calls the listener once the reply is sent, or the client has disconnected. */
  onGone(listener: () => void): void;
  /**
   * Calls the listener once the client has closed its sending side, unless `onGone` does. It
   * may still read, or have gone: only a write can tell.
   */
  onHalfClosed(listener: () => void): void;
  /**
   * Resolves to whether the token is still valid, or that cannot be read now: for what takes
   * long. Never rejects.
   */
  isAllowed(): Promise<boolean>;
  /** Charges the principal by the rate limit for hidden work, as if it were so many bytes. */
  charge(bytes: number): void;
  /** Returns the address that the client used, such as `http://127.0.0.1:3000`; `''` if unknown. */
  address(): string;
}

/** @param space for the few that need more of it than its store. */
export type Handler<Id extends OperationId> = (call: Call<Id>, store: Store, space: Space) => Reply | Promise<Reply>;

/** A body to read row by row. */
export interface RowBody<Row> {
  /** `''` if the request has no body. */
  readonly mediaType: string;
  /** Read only as fast as consumed. @throws ServiceError `request_timeout`; ClientGoneError. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Checks one row. @throws ServiceError like `Contract.parseBody`. */
  readonly parseRow: (value: unknown) => Row;
}

export type BodyOf<Id extends OperationId> = Operations[Id] extends { readonly row: infer Row }
  ? RowBody<Row>
  : ContentOf<Id>;

/** Undefined for a public operation. */
export type PrincipalOf<Id extends OperationId> = Operations[Id] extends { readonly isPublic: true }
  ? undefined
  : Principal;
