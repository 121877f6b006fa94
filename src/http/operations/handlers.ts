/** The table of operations: the handler of each, and what request-steps.ts must know of it: its route. */
import type { BodyError, Contract, OperationId } from '../../contract/load-contract.ts';
import type { Operation } from '../../contract/operations.ts';
import type { ParseParameters } from '../../contract/parse-parameters.ts';
import type { Operations } from '../../domain/schemas.ts';
import type { Store } from '../../domain/store.ts';
import type { Webhooks } from '../../domain/webhooks.ts';
import { Semaphore } from '../../limits/semaphore.ts';
import type { Space } from '../space.ts';
import type { Reply } from '../wire/reply.ts';
import { getLiveness, getReadiness, getRoot } from './about.ts';
import { batchPlants } from './batch.ts';
import type { Handler } from './call.ts';
import { getHistory, listChanges } from './changes.ts';
import { Descriptions, type Served } from './descriptions.ts';
import { ExportPlaces, exportPlants } from './export.ts';
import { importPlants } from './import.ts';
import { createPlant, deletePlant, getPlant, listPlants, listTags, patchPlant, putPlant } from './plants.ts';
import { toTokenHandlers } from './tokens.ts';
import { toWebhookHandlers } from './webhooks.ts';

/** What handlers need besides the request and its space. */
export interface HandlerDeps extends Served {
  readonly contract: Contract;
  /** `''`, or `/api/v1`. */
  readonly basePath: string;
  readonly webhooks: Webhooks;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted when the service begins to stop: it is not ready any more. */
  readonly stopping: AbortSignal;
  /** Aborted when the service accepts no more connections. */
  readonly shutdown: AbortSignal;
  /** Maximum number of concurrent exports, half of them of one principal. Default: as many as `export.ts` says. */
  readonly exportsMax?: number | undefined;
  /** Whether it is a sandbox, in which clients may prefer other answers than the true ones. */
  readonly isSandbox?: boolean | undefined;
}

/** What an operation is, beside its part of the description. */
type OperationRow<Id extends OperationId> = {
  readonly handle: Handler<Id>;
  /** The reply is cached until the next write. */
  readonly isCached?: boolean;
  /** The handler itself checks If-Match and If-None-Match: what it returns has an ETag. */
  readonly hasEtag?: boolean;
  /**
   * Whether the duration depends on the client or the rows: metrics time it apart from other
   * requests.
   */
  readonly isLong?: boolean;
} & (Operations[Id] extends { readonly body: unknown } | { readonly row: unknown }
  ? {
      /** The error of a body that is not of its schema. */
      readonly invalid: BodyError;
    }
  : object);

/** By operation id: a missing one, or a handler with another operation's types, does not compile. */
type OperationTable = { readonly [Id in OperationId]: OperationRow<Id> };

/** Maximum number of concurrent imports, half of them of one principal: each buffers about 2 MiB. */
const importsMax = 16;
/** Maximum number of concurrent batches, half of them of one principal: each has one slice in memory. */
const batchesMax = 8;

function toOperationTable(deps: HandlerDeps): OperationTable {
  const { contract, sample, basePath, now, stopping, shutdown, exportsMax, isSandbox = false } = deps;
  const exporting = new ExportPlaces(() => performance.now(), exportsMax);
  const importing = { places: new Semaphore(importsMax), shutdown };
  const batching = { places: new Semaphore(batchesMax), shutdown };
  const descriptions = new Descriptions({ contract, sample }, basePath);
  const webhooks = toWebhookHandlers(deps.webhooks);
  const tokens = toTokenHandlers(now);
  return {
    createPlant: { handle: createPlant, invalid: 'plant_invalid' },
    listPlants: { handle: listPlants, isCached: true },
    getPlant: { handle: getPlant, isCached: true, hasEtag: true },
    putPlant: { handle: putPlant, hasEtag: true, invalid: 'plant_invalid' },
    patchPlant: { handle: patchPlant, hasEtag: true, invalid: 'plant_invalid' },
    deletePlant: { handle: deletePlant, hasEtag: true },
    listTags: { handle: listTags, isCached: true },
    listChanges: { handle: (call, store, space) => listChanges(call, store, space, shutdown), isLong: true },
    getHistory: { handle: getHistory },
    exportPlants: { handle: (call, store) => exportPlants(call, store, exporting), isLong: true },
    importPlants: {
      handle: (call, store, space) => importPlants(call, store, space, importing),
      isLong: true,
      invalid: 'plant_invalid',
    },
    batchPlants: {
      handle: (call, store, space) => batchPlants(call, store, space, batching),
      isLong: true,
      invalid: 'batch_invalid',
    },
    createWebhook: { handle: webhooks.createWebhook, invalid: 'webhook_invalid' },
    listWebhooks: { handle: webhooks.listWebhooks },
    getWebhook: { handle: webhooks.getWebhook },
    patchWebhook: { handle: webhooks.patchWebhook, invalid: 'webhook_invalid' },
    deleteWebhook: { handle: webhooks.deleteWebhook },
    rotateWebhookSecret: { handle: webhooks.rotateWebhookSecret },
    testWebhook: { handle: webhooks.testWebhook },
    listDeliveries: { handle: webhooks.listDeliveries },
    retryDelivery: { handle: webhooks.retryDelivery },
    createToken: { handle: tokens.createToken, invalid: 'token_request_invalid' },
    listTokens: { handle: tokens.listTokens },
    getOwnToken: { handle: tokens.getOwnToken },
    revokeToken: { handle: tokens.revokeToken },
    getRoot: { handle: (call) => getRoot(call, contract, isSandbox) },
    getDescriptionJson: { handle: descriptions.getDescriptionJson, hasEtag: true },
    getDescriptionYaml: { handle: descriptions.getDescriptionYaml, hasEtag: true },
    getSampleJson: { handle: descriptions.getSampleJson, hasEtag: true },
    getSampleYaml: { handle: descriptions.getSampleYaml, hasEtag: true },
    getLiveness: { handle: getLiveness },
    getReadiness: { handle: (_call, store) => getReadiness(store, stopping) },
  };
}

/** What a request needs of its operation: its part of the description, its row, and its parsers. */
export interface Route {
  readonly operation: Operation;
  /** See `OperationRow`. */
  readonly isCached: boolean;
  readonly hasEtag: boolean;
  readonly isLong: boolean;
  readonly parseParameters: ParseParameters;
  /** Undefined if it takes no body. */
  readonly parseBody: ((value: unknown) => unknown) | undefined;
  /**
   * Limits requests with a longer body than usual: the body is in memory before its handler is
   * called.
   */
  readonly bodyPlaces: Semaphore | undefined;
  /** Whether the body is rows: each has a limit, all together have none. */
  readonly hasRows: boolean;
  /** @param call has passed all steps of this operation. */
  readonly handle: (call: unknown, store: Store, space: Space) => Reply | Promise<Reply>;
}

/** A row of the table, of whichever operation. */
type AnyOperationRow = OperationRow<OperationId> & { readonly invalid?: BodyError };

/**
 * Maximum number of longer bodies that are read at once, half of them of one principal: of 512
 * KiB each, they buffer 4 MiB.
 */
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
  const { handle, isCached = false, hasEtag = false, isLong = false, invalid }: AnyOperationRow = table[id];
  return {
    operation,
    isCached,
    hasEtag,
    isLong,
    bodyPlaces: operation.bodyBytesMax === undefined ? undefined : new Semaphore(longBodiesMax),
    hasRows: operation.requestMediaTypes.includes('application/x-ndjson'),
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
