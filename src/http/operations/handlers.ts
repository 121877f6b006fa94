/** The handler of each operation. routes.ts runs the steps before it. */
import type { Contract, OperationId } from '../../contract/load-contract.ts';
import type { Webhooks } from '../../domain/webhooks.ts';
import { getLiveness, getReadiness, getRoot } from './about.ts';
import { batchPlants } from './batch-plants.ts';
import type { Handler } from './call.ts';
import { getHistory, listChanges } from './changes.ts';
import { ExportPlaces } from './export-places.ts';
import { Descriptions } from './descriptions.ts';
import { exportPlants } from './export-plants.ts';
import { importPlants } from './import-plants.ts';
import { createPlant, deletePlant, getPlant, listPlants, patchPlant, putPlant } from './plants.ts';
import { listTags } from './tags.ts';
import { Places } from './places.ts';
import { toTokenHandlers } from './tokens.ts';
import { toWebhookHandlers } from './webhooks.ts';

/** What handlers need besides the request and its space. */
export interface HandlerDeps {
  readonly contract: Contract;
  /** `''`, or `/api/v1`. */
  readonly basePath: string;
  readonly webhooks: Webhooks;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted when the service starts to shut down. */
  readonly shutdown: AbortSignal;
  /** Maximum number of concurrent exports, half of them of one caller. Default: as a store. */
  readonly exportsMax?: number | undefined;
  /** Whether it is a sandbox, in which clients may prefer other answers than the true ones. */
  readonly isSandbox?: boolean | undefined;
}

/** By operation id: a missing handler, or one with another operation's types, does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** Maximum number of concurrent imports, half of them of one caller: each buffers about 2 MiB. */
const importsMax = 16;
/** Maximum number of concurrent batches, half of them of one token: each has one step in memory. */
const batchesMax = 8;

export function toHandlers(deps: HandlerDeps): Handlers {
  const { contract, basePath, webhooks, now, shutdown, exportsMax, isSandbox = false } = deps;
  const exporting = new ExportPlaces(() => performance.now(), exportsMax);
  const importing = new Places(importsMax);
  const descriptions = new Descriptions(contract, basePath);
  const batches = { places: new Places(batchesMax), shutdown };
  return {
    createPlant,
    listPlants,
    getPlant,
    putPlant,
    patchPlant,
    deletePlant,
    listChanges,
    getHistory,
    listTags,
    exportPlants: (call, store) => exporting.run(call, () => exportPlants(call, store)),
    importPlants: (call, store) => {
      call.onGone(importing.take(call.principal.limitKey));
      return importPlants(call, store, shutdown);
    },
    batchPlants: (call, store) => batchPlants(call, store, batches),
    ...toWebhookHandlers(webhooks),
    ...toTokenHandlers(now),
    getRoot: (call) => getRoot(call, contract, isSandbox),
    getDescriptionJson: descriptions.getDescriptionJson,
    getDescriptionYaml: descriptions.getDescriptionYaml,
    getLiveness,
    getReadiness: (_call, store) => getReadiness(store, shutdown),
  };
}
