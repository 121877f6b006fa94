/** What a handler takes: the checked input of one request. The compiler derives its types from the operation. */
import type { ContentOf, OperationId, ParametersOf } from '../../contract/load-contract.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Operations } from '../../domain/schemas.ts';
import type { Store } from '../../domain/store.ts';
import type { Reply } from '../wire/reply.ts';

/** One request that has passed every step before its handler. */
export interface Call<Id extends OperationId> {
  readonly parameters: ParametersOf<Id>;
  readonly body: BodyOf<Id>;
  readonly principal: PrincipalOf<Id>;
  /** Of those that the operation can reply with, the one that the client prefers. */
  readonly mediaType: string;
  /** Whether the content of the reply will be dropped. */
  readonly isHead: boolean;
  /** With the base path, decoded: `/api/v1/plants`. */
  readonly path: string;
  /** The address at which the client reached the service, such as `http://127.0.0.1:3000`; `''` when it is unknown. */
  readonly address: () => string;
}

export type Handler<Id extends OperationId> = (call: Call<Id>, store: Store) => Reply | Promise<Reply>;

/** A body that is read row by row. */
export interface RowBody<Row> {
  /** `''` when the request has no body. */
  readonly mediaType: string;
  /** As fast as they are taken. @throws ServiceError `request_timeout`; ClientGoneError. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Checks one row. @throws ServiceError as `Contract.parseBody`. */
  readonly parseRow: (value: unknown) => Row;
}

export type BodyOf<Id extends OperationId> = Operations[Id] extends { readonly row: infer Row }
  ? RowBody<Row>
  : ContentOf<Id>;

/** The caller; undefined for a public operation. */
export type PrincipalOf<Id extends OperationId> = Operations[Id] extends { readonly isPublic: true }
  ? undefined
  : Principal;
