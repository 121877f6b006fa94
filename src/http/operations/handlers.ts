/** The handler of each operation. routes.ts runs the steps before it. */
import type { Contract, OperationId } from '../../contract/load-contract.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Webhooks } from '../../domain/webhooks.ts';
import { getDescriptionJson, getDescriptionYaml, getLiveness, getReadiness, getRoot } from './about.ts';
import type { Store } from '../../domain/store.ts';
import type { Handler } from './call.ts';
import { ChangeHub } from './change-hub.ts';
import { getHistory, listChanges } from './changes.ts';
import { exportPlants } from './export-plants.ts';
import { importPlants } from './import-plants.ts';
import { createPlant, deletePlant, getPlant, listPlants, patchPlant, putPlant } from './plants.ts';
import { TokenWatch } from './token-watch.ts';
import { listTags } from './tags.ts';
import { toWebhookHandlers } from './webhooks.ts';

/** What handlers need besides the request and the store. */
export interface HandlerDeps {
  readonly contract: Contract;
  readonly store: Store;
  /** `''`, or `/api/v1`. */
  readonly basePath: string;
  readonly webhooks: Webhooks;
  /** Aborted when the service starts to shut down. */
  readonly shutdown: AbortSignal;
}

/** By operation id: a missing handler, or one with another operation's types, does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** Maximum number of concurrent imports: each buffers up to two chunks of rows, about 2 MiB. */
const importsMax = 16;

export function toHandlers({ contract, store, basePath, webhooks, shutdown }: HandlerDeps): Handlers {
  const followed = { hub: new ChangeHub(store.changes, shutdown), tokens: new TokenWatch() };
  let imports = 0;
  return {
    createPlant,
    listPlants,
    getPlant,
    putPlant,
    patchPlant,
    deletePlant,
    listChanges: (call, from) => listChanges(call, from, followed),
    getHistory,
    listTags,
    exportPlants,
    importPlants: async (call, store) => {
      if (imports >= importsMax) throw new ServiceError('store_busy');
      imports += 1;
      try {
        return await importPlants(call, store, shutdown);
      } finally {
        imports -= 1;
      }
    },
    ...toWebhookHandlers(webhooks),
    getRoot: (call) => getRoot(call, contract, basePath),
    getDescriptionJson: (call) => getDescriptionJson(call, contract, basePath),
    getDescriptionYaml: (call) => getDescriptionYaml(call, contract, basePath),
    getLiveness,
    getReadiness: (_call, store) => getReadiness(store, shutdown),
  };
}
