/** The handlers by operation id: which parsed pieces of a request each one takes. The steps before a handler are in routes.ts. */
import type { FastifyRequest } from 'fastify';
import type { Contract } from '../../contract/load-contract.ts';
import type { RawParameters } from '../../contract/parse-parameters.ts';
import type { Store } from '../../domain/store.ts';
import type { JsonValue } from '../../json/parse-json.ts';
import { DescriptionPages, getLiveness, getReadiness, getRoot } from './about.ts';
import { exportPlants } from './export-plants.ts';
import { importPlants } from './import-plants.ts';
import { openRows } from './import-rows.ts';
import { PageCache } from './response-cache.ts';
import { createPlant, deletePlant, getPlant, listPlants, patchPlant, putPlant } from './plants.ts';
import type { Answer } from '../wire/reply.ts';
import { listTags } from './tags.ts';

/** What the handlers need of the service. */
export interface Surroundings {
  readonly contract: Contract;
  readonly store: Store;
  /** `''`, or `/api/v1`. */
  readonly basePath: string;
  /** True from the first signal to stop on. */
  readonly isDraining: () => boolean;
}

/** One request that has passed authentication and negotiation. */
export interface Call {
  readonly request: FastifyRequest;
  /** Path, query and header fields as they came. */
  readonly raw: RawParameters;
  /** Reads and parses the body. @throws ServiceError as `readJson`, and `store_busy` before anything is read. */
  readonly json: () => Promise<JsonValue>;
  /** Reads the body piece by piece. @throws ServiceError as `readPieces`. */
  readonly pieces: () => AsyncIterable<Buffer>;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

export function toHandlers({ contract, store, basePath, isDraining }: Surroundings): Readonly<Record<string, Handler>> {
  const { plants } = store;
  const pages = new DescriptionPages(contract, basePath);
  const plantPages = new PageCache(() => plants.revision());
  const singlePlants = new PageCache(() => plants.revision());
  const tagPages = new PageCache(() => plants.revision());
  const plantsPath = `${basePath}/plants`;
  const [newPlantOf, plantOf, patchOf, rowOf] = [
    contract.parseBody('createPlant'),
    contract.parseBody('putPlant'),
    contract.parseBody('patchPlant'),
    contract.parseBody('importPlants'),
  ];
  const [listOf, getOf, putOf, patchParametersOf, deleteOf, tagsOf, exportOf, importOf] = [
    contract.parseParameters('listPlants'),
    contract.parseParameters('getPlant'),
    contract.parseParameters('putPlant'),
    contract.parseParameters('patchPlant'),
    contract.parseParameters('deletePlant'),
    contract.parseParameters('listTags'),
    contract.parseParameters('exportPlants'),
    contract.parseParameters('importPlants'),
  ];
  return {
    createPlant: async ({ json }) => createPlant(newPlantOf(await json()), plants),
    listPlants: ({ raw }) => plantPages.find(raw.query, () => listPlants(listOf(raw), plants, plantsPath)),
    // A conditional answer depends on more than the path.
    getPlant: ({ raw }) =>
      raw.headers['if-none-match'] === undefined
        ? singlePlants.find(raw.path['id'] ?? '', () => getPlant(getOf(raw), plants))
        : getPlant(getOf(raw), plants),
    putPlant: async ({ raw, json }) => putPlant(putOf(raw), plantOf(await json()), plants, plantsPath),
    patchPlant: async ({ raw, json }) => patchPlant(patchParametersOf(raw), patchOf(await json()), plants),
    deletePlant: ({ raw }) => deletePlant(deleteOf(raw), plants),
    listTags: ({ raw }) => tagPages.find(raw.query, () => listTags(tagsOf(raw), plants, `${basePath}/tags`)),
    exportPlants: ({ raw, request }) => exportPlants(exportOf(raw), request.raw, plants),
    importPlants: ({ raw, request, pieces }) => {
      const options = importOf(raw);
      return importPlants({ options, rows: openRows(request.raw, rowOf), pieces: pieces(), isDraining }, plants);
    },
    getRoot: ({ request }) => getRoot(request, contract, basePath),
    getDescriptionJson: ({ request }) => pages.json(request),
    getDescriptionYaml: ({ request }) => pages.yaml(request),
    getLiveness,
    getReadiness: () => getReadiness(store, isDraining()),
  };
}
