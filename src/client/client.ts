/**
 * The client of the service, for Node and browsers, and what apps on it share: the console has no
 * other access. Published as `plant-store/client`; rows.ts beside it is for apps that read files.
 * Ids are `bigint` in both directions. Retries and time-outs are in transport.ts; the service
 * validates plants.
 */
import { plantUnknown } from '../domain/error-numbers.ts';
import { applyPatch, areEqual, pickPatch, pickPlant } from '../domain/plant.ts';
import type {
  Batch,
  BatchReport,
  Change,
  NewPlant,
  Plant,
  PlantPatch,
  StoredPlant,
  TagCount,
} from '../domain/schemas.ts';
import { toJson } from '../json/to-json.ts';
import { runBatch } from './batch.ts';
import { type ChangePage, ChangeReader } from './changes.ts';
import { parseChanges, parseCount, parsePlant, parsePlants, parseTagCounts, parseVersion } from './responses.ts';
import { readPlants, toByteStream } from './export-stream.ts';
import { type ImportOptions, importParts, type ImportResult, type RowFormat } from './import-parts.ts';
import type {
  BatchOptions,
  CallOptions,
  ChangePageOptions,
  ChangesOptions,
  ClientOptions,
  ExportOptions,
  HistoryOptions,
  ListOptions,
  PlantFilter,
  PlantVersion,
  PutOptions,
  TagOptions,
  WriteOptions,
} from './options.ts';
import { type Page, PageReader } from './pages.ts';
import type { ImportSource } from './parts.ts';
import { toQuery } from './query.ts';
import { checkId, toCondition, toListQuery, toPath, toRepetition, toTagQuery } from './requests.ts';
import { type Answer, Transport } from './transport.ts';
import { Tokens } from './tokens.ts';
import { Webhooks } from './webhooks.ts';

export * from '../domain/error-numbers.ts';
export { areEqual, type EachField, pickPlant, type PlantField, plantFields, toPlant } from '../domain/plant.ts';
export { parseInt64 } from '../json/int64.ts';
export { type JsonValue, parseJson } from '../json/parse-json.ts';
export { toJson } from '../json/to-json.ts';
export { csvHeader, toCsvLine } from '../rows/csv-write.ts';
export type { ChangePage } from './changes.ts';
export { ConnectionError, type ConnectionErrorKind, PlantStoreError } from './errors.ts';
export { getPlants } from './get-plants.ts';
export { addReports, emptyReport } from './import-parts.ts';
export type { ImportOptions, ImportProgress, ImportResult, RowFormat } from './import-parts.ts';
export * from './make-group.ts';
export type * from './options.ts';
export type { Page } from './pages.ts';
export type { ImportSource } from './parts.ts';
export { isReady } from './readiness.ts';
export { mayHaveBeenExecuted, realEnvironment, type Repetition } from './retry.ts';
export type { Retry, RetryEnvironment, RetryOptions } from './retry.ts';
export { fold, toSearchTest, toSearchText } from './search.ts';
export type { Tokens } from './tokens.ts';
export type { Webhooks } from './webhooks.ts';

/** `true` if an equal plant was stored already. */
const replayedField = 'idempotent-replayed';

/**
 * Every method throws PlantStoreError for an error response, ConnectionError if all retries got
 * no usable response, and the reason of its signal when aborted; only `changes` ends then.
 *
 * Retries: a request that was surely not executed (no connection, 429, 503 with nothing
 * written) is always sent again. One that may have been executed (lost connection, time-out,
 * 502, 503, 504) is sent again only if repeating it cannot undo a change by another client:
 * reads, create, import without `replace`, and put, patch and delete with `createOnly` or the
 * etag of one version in `ifMatch`. Otherwise the error is thrown, and you decide. One case is
 * left: if a response is lost and another client restores exactly the state from before, the
 * second try changes it once more.
 */
export class PlantClient {
  readonly #transport: Transport;
  readonly #plants: PageReader<StoredPlant>;
  readonly #tags: PageReader<TagCount>;
  readonly #changes: ChangeReader;
  /** The webhooks, for a token with the scope `webhooks:manage`. */
  readonly webhooks: Webhooks;
  /** The tokens, for a token with the scope `tokens:manage`. */
  readonly tokens: Tokens;

  /** @throws TypeError if the address is invalid, or the token missing or invalid. */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.#plants = new PageReader(this.#transport, '/plants', parsePlants);
    this.#tags = new PageReader(this.#transport, '/tags', parseTagCounts);
    this.#changes = new ChangeReader(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
    this.tokens = new Tokens(this.#transport);
  }

  /**
   * Creates a plant with the id that you choose. `replayed`: an equal plant was stored already,
   * perhaps by an earlier try; a browser on another origin sees this only if the service
   * exposes `Idempotent-Replayed`.
   * @throws PlantStoreError 40901 if the id exists with another name or tag.
   */
  async create(
    plant: NewPlant,
    { signal }: CallOptions = {},
  ): Promise<{ readonly plant: Plant; readonly replayed: boolean }> {
    checkId(plant.id);
    const body = toJson(pickPlant(plant.id, plant));
    const answer = await this.#transport.send({ method: 'POST', path: '/plants', body, signal }, [200]);
    return { plant: parsePlant(answer.text), replayed: answer.headers.get(replayedField) === 'true' };
  }

  /** Resolves to the plant, or undefined; to `unchanged` if its version is `ifNoneMatch`. */
  async get(
    id: bigint,
    options?: CallOptions & { readonly ifNoneMatch?: undefined },
  ): Promise<PlantVersion | undefined>;
  async get(
    id: bigint,
    options: CallOptions & { readonly ifNoneMatch?: string | undefined },
  ): Promise<PlantVersion | 'unchanged' | undefined>;
  async get(
    id: bigint,
    { ifNoneMatch, signal }: CallOptions & { readonly ifNoneMatch?: string | undefined } = {},
  ): Promise<PlantVersion | 'unchanged' | undefined> {
    const headers = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
    const answer = await this.#transport.send({ method: 'GET', path: toPath(id), headers, signal }, [200, 304, 404]);
    if (answer.status === 304) return 'unchanged';
    if (answer.status === 200) return parseVersion(answer);
    this.#checkAbsent(answer);
    return undefined;
  }

  /**
   * Plants that match, in the order of their ids, loaded page by page. Plants added or removed
   * during the loop may be missing; no others are.
   */
  list(options: ListOptions = {}): AsyncGenerator<StoredPlant, void, undefined> {
    return this.#plants.all(toListQuery(options), options.signal);
  }

  /**
   * One page of the list: the first one for the options, or the one that a `next` of an earlier
   * page names. A search may have fewer plants than the page has room for although others follow.
   */
  async listPage(options: ListOptions | string = {}, { signal }: CallOptions = {}): Promise<Page<StoredPlant>> {
    return typeof options === 'string'
      ? this.#plants.readSome(this.#plants.toQuery(options), { signal })
      : this.#plants.readSome(toListQuery(options), { signal: options.signal ?? signal });
  }

  /**
   * Creates or replaces the plant with this id; without `tag` it then has none. `unchanged`: an
   * equal plant was stored already. If the response of a conditional put was lost, it counts as
   * done when the plant is stored as it was sent.
   */
  async put(
    id: bigint,
    plant: Plant,
    { ifMatch, createOnly = false, signal }: PutOptions = {},
  ): Promise<PlantVersion & { readonly outcome: 'created' | 'replaced' | 'unchanged' }> {
    if (createOnly && ifMatch !== undefined)
      throw new TypeError('Cannot put plant: "createOnly" and "ifMatch" exclude each other');
    const headers = createOnly ? { 'if-none-match': '*' } : toCondition(ifMatch);
    const wanted = pickPlant(id, plant);
    const body = toJson({ ...wanted, id: undefined });
    const repetition = createOnly ? 'harmless' : toRepetition(ifMatch);
    const answer = await this.#transport.send(
      { method: 'PUT', path: toPath(id), headers, body, repetition, signal },
      [200, 201, 412],
    );
    if (answer.status === 412) {
      const found = await this.#findOwn(answer, id, (stored) => areEqual(stored, wanted), signal);
      return { ...found, outcome: createOnly ? 'created' : 'replaced' };
    }
    const outcome =
      answer.status === 201 ? 'created' : answer.headers.get(replayedField) === 'true' ? 'unchanged' : 'replaced';
    return { ...parseVersion(answer), outcome };
  }

  /**
   * Updates the members of the patch; `tag: null` removes the tag.
   * @throws PlantStoreError 40402 when no plant has this id.
   */
  async patch(id: bigint, patch: PlantPatch, { ifMatch, signal }: WriteOptions = {}): Promise<PlantVersion> {
    const headers = { 'content-type': 'application/merge-patch+json', ...toCondition(ifMatch) };
    const answer = await this.#transport.send(
      {
        method: 'PATCH',
        path: toPath(id),
        headers,
        body: toJson(pickPatch(patch)),
        repetition: toRepetition(ifMatch),
        signal,
      },
      [200, 412],
    );
    if (answer.status === 200) return parseVersion(answer);
    return this.#findOwn(answer, id, (stored) => areEqual(stored, applyPatch(stored, patch)), signal);
  }

  /** Resolves to false if no plant has this id; to true also if an earlier try deleted it. */
  async delete(id: bigint, { ifMatch, signal }: WriteOptions = {}): Promise<boolean> {
    const answer = await this.#transport.send(
      { method: 'DELETE', path: toPath(id), headers: toCondition(ifMatch), repetition: toRepetition(ifMatch), signal },
      [204, 404, 412],
    );
    if (answer.status === 204) return true;
    if (answer.status === 404) {
      this.#checkAbsent(answer);
      return answer.isRetry;
    }
    if (answer.isRetry && (await this.get(id, { signal })) === undefined) return true;
    throw this.#transport.toError(answer);
  }

  /** Every tag with the number of plants that have it, ascending by code point. */
  tags(options: TagOptions = {}): AsyncGenerator<TagCount, void, undefined> {
    return this.#tags.all(toTagQuery(options), options.signal);
  }

  /** One page of the tags, as `listPage`. */
  async tagsPage(options: TagOptions | string = {}, { signal }: CallOptions = {}): Promise<Page<TagCount>> {
    return typeof options === 'string'
      ? this.#tags.read(this.#tags.toQuery(options), { signal })
      : this.#tags.read(toTagQuery(options), { signal: options.signal ?? signal });
  }

  /** The number of all stored plants. */
  async count({ signal }: CallOptions = {}): Promise<bigint> {
    const answer = await this.#transport.send({ method: 'GET', path: '/tags?limit=1', signal }, [200]);
    return parseCount(answer.headers.get('plants-stored'));
  }

  /**
   * Imports plants in bulk and resolves to a report, with the line numbers of the first 1,000
   * refused rows.
   *
   * The source is sent in parts that are stored and confirmed one by one. When this throws, the
   * parts reported to `onProgress` are stored, and the next one may be; run the import again to
   * continue. Rows that are stored already count as unchanged.
   *
   * The changes have one `group`, which is in the report: `batch({ action: 'undo', undoes: group })`
   * gives each plant the state that it had before.
   */
  async import(source: ImportSource, options: ImportOptions): Promise<ImportResult> {
    return importParts(this.#transport, source, options);
  }

  /**
   * Changes many plants with one request: sets or clears their tag, deletes or restores them, or
   * undoes an earlier batch. Resolves to the report; plants that are refused are in it.
   *
   * `plants` is a filter, or any number of ids. The changes have one `group` in the change log, by
   * which `undo` finds them. Retries have the same group: they change nothing twice, and count what
   * an earlier try has changed as unchanged. The service goes on when the call is aborted, up to
   * 20,000 ids. If `done` is false, 1,000,000 plants were changed, and there are more.
   */
  async batch(batch: Batch, options: BatchOptions = {}): Promise<BatchReport> {
    return runBatch(this.#transport, batch, options);
  }

  /** A snapshot of the plants that match, sorted by id. Throws ConnectionError if it is cut off. */
  async *export(options: PlantFilter & CallOptions = {}): AsyncGenerator<StoredPlant, void, undefined> {
    yield* readPlants(await this.exportBytes('application/x-ndjson', options), options.signal);
  }

  /** The same as the bytes of a file. Fails with ConnectionError if the export is incomplete. */
  async exportBytes(
    mediaType: RowFormat,
    { tag, untagged, name, search, byteOrderMark, signal, onProgress }: ExportOptions = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const path = `/plants/export${toQuery({ tag, untagged, name, search, byteOrderMark })}`;
    return toByteStream(
      await this.#transport.open({ method: 'GET', path, headers: { accept: mediaType }, signal }),
      mediaType,
      { signal, onProgress },
    );
  }

  /**
   * Follows the changes, oldest first, without an end: yields each change once, those of a
   * plant in their order, and waits for more. Ends when the signal is aborted.
   *
   * After the first response, it retries without a limit, however long it is told to wait: lost
   * connections, time-outs and temporary failures (429, 502, 503, 504). To continue later, pass
   * the `position` of the last change as `after`; with a filter, the one that `onPosition`
   * gets.
   * @throws PlantStoreError 41001 if the changes after the position are gone: call
   * `latestPosition`, read the list, and follow from there; 401 or 403 if the token is no
   * longer valid, or has no `plants:read`.
   */
  changes(options: ChangesOptions = {}): AsyncGenerator<Change, void, undefined> {
    return this.#changes.follow(options);
  }

  /**
   * One page of the changes: the first one for the options, or the one that a `next` of an
   * earlier page names.
   * @throws PlantStoreError 41001 if the changes after the position are gone.
   */
  async changesPage(options: ChangePageOptions | string = {}, { signal }: CallOptions = {}): Promise<ChangePage> {
    return this.#changes.page(options, typeof options === 'string' ? signal : (options.signal ?? signal));
  }

  /** The position of the newest change. Read it before the plants, then follow from there. */
  async latestPosition({ signal }: CallOptions = {}): Promise<string> {
    return this.#changes.latestPosition(signal);
  }

  /**
   * The changes of one plant, newest first, also of a deleted one, loaded page by page.
   * @throws PlantStoreError 40402 if no plant has this id, or had it for as long as changes are
   * kept.
   */
  history(id: bigint, { pageSize, signal }: HistoryOptions = {}): AsyncGenerator<Change, void, undefined> {
    return this.#history(id).all(toQuery({ limit: pageSize }), signal);
  }

  /** One page of the history, as `listPage`. */
  async historyPage(
    id: bigint,
    options: HistoryOptions | string = {},
    { signal }: CallOptions = {},
  ): Promise<Page<Change>> {
    const pages = this.#history(id);
    return typeof options === 'string'
      ? pages.read(pages.toQuery(options), { signal })
      : pages.read(toQuery({ limit: options.pageSize }), { signal: options.signal ?? signal });
  }

  /**
   * Puts the plant back to the state after a change; after a deletion, to the state before it.
   * Creates the plant if it was deleted. With `ifMatch` or `createOnly`, only if the plant is
   * as you saw it. Otherwise the call reads the current version itself.
   * @throws PlantStoreError 41201 if the plant was changed in between.
   */
  async restore(
    { plant, before }: Pick<Change, 'plant' | 'before'>,
    options: PutOptions = {},
  ): Promise<PlantVersion & { readonly outcome: 'created' | 'replaced' | 'unchanged' }> {
    const state = plant ?? before;
    if (state === undefined) throw new TypeError('Cannot restore plant: the change has neither "plant" nor "before"');
    if (options.ifMatch !== undefined || options.createOnly === true) return this.put(state.id, state, options);
    const { signal } = options;
    const current = await this.get(state.id, { signal });
    const condition = current === undefined ? { createOnly: true } : { ifMatch: current.etag };
    return this.put(state.id, state, { ...condition, signal });
  }

  #history(id: bigint): PageReader<Change> {
    return new PageReader(this.#transport, `${toPath(id)}/history`, parseChanges);
  }

  /** @throws PlantStoreError if the 404 is not about the plant: then the address is wrong. */
  #checkAbsent(answer: Answer): void {
    const error = this.#transport.toError(answer);
    if (error.number !== plantUnknown) throw error;
  }

  /**
   * A 412 after a lost response: our own first try changed the plant if it is now as that try
   * wanted it.
   * @throws PlantStoreError otherwise.
   */
  async #findOwn(
    answer: Answer,
    id: bigint,
    isAsSent: (plant: StoredPlant) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<PlantVersion> {
    const found = answer.isRetry ? await this.get(id, { signal }) : undefined;
    if (found !== undefined && isAsSent(found.plant)) return found;
    throw this.#transport.toError(answer);
  }
}
