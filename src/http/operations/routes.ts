/** What a request needs of its operation: the description's part and the table's, and its parsers. */
import type { BodyError, Contract, OperationId } from '../../contract/load-contract.ts';
import type { Operation } from '../../contract/operations.ts';
import type { ParseParameters } from '../../contract/parse-parameters.ts';
import type { Store } from '../../domain/store.ts';
import { Places } from '../steps/places.ts';
import type { Reply } from '../wire/reply.ts';
import type { ChangeHub } from './change-hub.ts';
import { type HandlerDeps, type Handling, type OperationTable, toOperationTable } from './handlers.ts';

export interface Route {
  readonly operation: Operation;
  /** See `Handling`. */
  readonly isCached: boolean;
  readonly hasEtag: boolean;
  readonly isLong: boolean;
  readonly parseParameters: ParseParameters;
  /** Undefined if it takes no body. */
  readonly parseBody: ((value: unknown) => unknown) | undefined;
  /** For those who send a longer body than others may: it is in memory before its handler is called. */
  readonly bodyPlaces: Places | undefined;
  /** Whether the body is rows: each has a limit, all together have none. */
  readonly isStreamed: boolean;
  /** @param call has passed all steps of this operation. */
  readonly handle: (call: unknown, store: Store, hub: ChangeHub) => Reply | Promise<Reply>;
}

/** A row of the table, of whichever operation. */
type AnyHandling = Handling<OperationId> & { readonly invalid?: BodyError };

/** Maximum number of longer bodies that are read at once, half of them of one caller. */
const longBodiesMax = 8;

/** By operation id. @throws Error if the description and the table of operations differ. */
export function toRoutes(deps: HandlerDeps): ReadonlyMap<string, Route> {
  const { contract } = deps;
  const table = toOperationTable(deps);
  for (const id of contract.operations.keys())
    if (!(id in table)) throw new Error(`${id} is described, but has no handler`);
  return new Map(Object.keys(table).map((id) => [id, toRoute(id as OperationId, table, contract)]));
}

function toRoute(id: OperationId, table: OperationTable, contract: Contract): Route {
  const operation = contract.operations.get(id);
  if (operation === undefined) throw new Error(`${id} has a handler, but is not described`);
  const { handle, isCached = false, hasEtag = false, isLong = false, invalid }: AnyHandling = table[id];
  return {
    operation,
    isCached,
    hasEtag,
    isLong,
    bodyPlaces: operation.bodyBytesMax === undefined ? undefined : new Places(longBodiesMax),
    isStreamed: operation.requestMediaTypes.includes('application/x-ndjson'),
    // To compile all at each start would take longer than all else in it.
    parseParameters: atFirstCall(() => contract.parseParameters(id)),
    parseBody: invalid === undefined ? undefined : atFirstCall(() => contract.parseBody(id, invalid)),
    // The steps make a call of the description that its type is generated from.
    handle: handle as Route['handle'],
  };
}

/** Returns a function that is made at its first call. */
function atFirstCall<Input, Output>(make: () => (input: Input) => Output): (input: Input) => Output {
  let made: ((input: Input) => Output) | undefined;
  return (input) => (made ??= make())(input);
}
