/**
 * The client of the service, for Node and browsers: published as `plant-store/client`. An id is a `bigint` both ways, exact to the digit.
 * Retries and time-outs are transport.ts's matter; what a plant may hold is for the service to say.
 */
import type { ImportReport, NewPlant, Plant, PlantPatch, StoredPlant, TagCount } from '../domain/schemas.ts';
import { toJson } from '../json/to-json.ts';
import { parseCount, parsePlant, parsePlants, parseTagCounts, parseVersion } from './answers.ts';
import { readPlants, toByteStream } from './export-stream.ts';
import { type ImportOptions, importParts, type RowFormat } from './import-parts.ts';
import type {
  CallOptions,
  ClientOptions,
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
import { checkId, toBase, toCondition, toListQuery, toPath, toTagQuery } from './requests.ts';
import { type Answer, type Outgoing, Transport } from './transport.ts';

export { ConnectionError, type ConnectionFault, PlantStoreError } from './errors.ts';
export type { ImportOptions, ImportProgress, RowFormat } from './import-parts.ts';
export type {
  CallOptions,
  ClientOptions,
  ListOptions,
  PlantFilter,
  PlantVersion,
  PutOptions,
  TagOptions,
  WriteOptions,
} from './options.ts';
export type { Page } from './pages.ts';
export type { ImportSource } from './parts.ts';
export type { Retry, RetryOptions, Surroundings } from './retry.ts';
export type { ImportReport, NewPlant, Plant, PlantPatch, StoredPlant, TagCount } from '../domain/schemas.ts';

/** The number of a 404 that is about the plant, not about the path. */
const plantUnknown = 40402;
/** Says `true` when an equal plant was stored already. */
const replayedField = 'idempotent-replayed';

/**
 * Every method throws PlantStoreError for what the service refuses, ConnectionError when no usable answer came after all retries, and the
 * reason of its signal when it is aborted. Requests are sent again on a lost connection, a time-out and the statuses 408, 429, 502, 503 and
 * 504: that is safe, because the id of a plant makes a second create or put of it the same as one.
 */
export class PlantClient {
  readonly #transport: Transport;
  readonly #plants: PageReader<StoredPlant>;
  readonly #tags: PageReader<TagCount>;

  /** @throws TypeError for an address or a token that cannot be one. */
  constructor(options: ClientOptions) {
    const base = toBase(options.url);
    this.#transport = new Transport(base, options);
    this.#plants = new PageReader(this.#transport, `${base}/plants`, '/plants', parsePlants);
    this.#tags = new PageReader(this.#transport, `${base}/tags`, '/tags', parseTagCounts);
  }

  /**
   * Stores a plant under an id of its own. `replayed`: an equal plant was stored already, by an earlier try perhaps; across origins a browser
   * does not see this unless the service exposes `Idempotent-Replayed`.
   * @throws PlantStoreError 40901 when another plant has this id.
   */
  async create(
    plant: NewPlant,
    { signal }: CallOptions = {},
  ): Promise<{ readonly plant: Plant; readonly replayed: boolean }> {
    checkId(plant.id);
    const { id, name, tag } = plant;
    const answer = await this.#send(
      { method: 'POST', path: '/plants', body: toJson({ id, name, tag }), signal },
      [200],
    );
    return { plant: parsePlant(answer.text), replayed: answer.headers.get(replayedField) === 'true' };
  }

  /** Resolves to the plant with this id; undefined when there is none. With `ifNoneMatch`, an `etag`: to `unchanged` when it still is that version. */
  async get(id: bigint, options?: CallOptions): Promise<PlantVersion | undefined>;
  async get(
    id: bigint,
    options: CallOptions & { readonly ifNoneMatch: string },
  ): Promise<PlantVersion | 'unchanged' | undefined>;
  async get(
    id: bigint,
    { ifNoneMatch, signal }: CallOptions & { readonly ifNoneMatch?: string } = {},
  ): Promise<PlantVersion | 'unchanged' | undefined> {
    const headers = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
    const answer = await this.#send({ method: 'GET', path: toPath(id), headers, signal }, [200, 304, 404]);
    if (answer.status === 304) return 'unchanged';
    if (answer.status === 200) return parseVersion(answer);
    this.#checkAbsent(answer);
    return undefined;
  }

  /** Every plant that fits, ascending by id, page by page as they are taken. Rows that come and go meanwhile may be seen or not; no other is missed. */
  list(options: ListOptions = {}): AsyncGenerator<StoredPlant, void, undefined> {
    return this.#plants.all(toListQuery(options), options.signal);
  }

  /** One page of the list: the first that the options describe, or the one behind a `next` of an earlier page, as it is. */
  async listPage(options: ListOptions | string = {}, { signal }: CallOptions = {}): Promise<Page<StoredPlant>> {
    return typeof options === 'string'
      ? this.#plants.page(options, signal)
      : this.#plants.first(toListQuery(options), options.signal ?? signal);
  }

  /**
   * Stores the plant under the id, new or in place of what is there; without `tag` it then has none. `unchanged`: an equal plant was stored already.
   * A conditional put whose answer was lost counts as done when the plant is found as it was sent.
   */
  async put(
    id: bigint,
    { name, tag }: Plant,
    { ifMatch, createOnly = false, signal }: PutOptions = {},
  ): Promise<PlantVersion & { readonly outcome: 'created' | 'replaced' | 'unchanged' }> {
    if (createOnly && ifMatch !== undefined)
      throw new TypeError('Cannot put plant: "createOnly" and "ifMatch" exclude each other');
    const headers = createOnly ? { 'if-none-match': '*' } : toCondition(ifMatch);
    const body = toJson({ name, tag });
    const answer = await this.#send({ method: 'PUT', path: toPath(id), headers, body, signal }, [200, 201, 412]);
    if (answer.status === 412) {
      const found = await this.#findOwn(answer, id, (plant) => plant.name === name && plant.tag === tag, signal);
      return { ...found, outcome: createOnly ? 'created' : 'replaced' };
    }
    const outcome =
      answer.status === 201 ? 'created' : answer.headers.get(replayedField) === 'true' ? 'unchanged' : 'replaced';
    return { ...parseVersion(answer), outcome };
  }

  /**
   * Changes the members that the patch names; `tag: null` removes the tag. Sent again after a lost answer only with `ifMatch`: otherwise a
   * second try could undo what somebody else wrote in between.
   * @throws PlantStoreError 40402 when no plant has this id.
   */
  async patch(id: bigint, { name, tag }: PlantPatch, { ifMatch, signal }: WriteOptions = {}): Promise<PlantVersion> {
    const headers = { 'content-type': 'application/merge-patch+json', ...toCondition(ifMatch) };
    const isRepeatable = ifMatch !== undefined;
    const answer = await this.#send(
      { method: 'PATCH', path: toPath(id), headers, body: toJson({ name, tag }), isRepeatable, signal },
      [200, 412],
    );
    if (answer.status === 200) return parseVersion(answer);
    const isAsSent = (plant: StoredPlant): boolean =>
      (name === undefined || plant.name === name) && (tag === undefined || plant.tag === (tag ?? undefined));
    return this.#findOwn(answer, id, isAsSent, signal);
  }

  /** Removes the plant. Resolves to false when no plant has this id; true when an earlier try of this call may have been what removed it. */
  async delete(id: bigint, { ifMatch, signal }: WriteOptions = {}): Promise<boolean> {
    const answer = await this.#send(
      { method: 'DELETE', path: toPath(id), headers: toCondition(ifMatch), signal },
      [204, 404, 412],
    );
    if (answer.status === 204) return true;
    if (answer.status === 404) {
      this.#checkAbsent(answer);
      return answer.isAnotherTry;
    }
    if (answer.isAnotherTry && (await this.get(id, { signal })) === undefined) return true;
    throw this.#transport.toError(answer);
  }

  /** Every tag with the number of plants that have it, ascending by code point. */
  tags(options: TagOptions = {}): AsyncGenerator<TagCount, void, undefined> {
    return this.#tags.all(toTagQuery(options), options.signal);
  }

  /** One page of the tags, as `listPage`. */
  async tagsPage(options: TagOptions | string = {}, { signal }: CallOptions = {}): Promise<Page<TagCount>> {
    return typeof options === 'string'
      ? this.#tags.page(options, signal)
      : this.#tags.first(toTagQuery(options), options.signal ?? signal);
  }

  /** The number of all stored plants. */
  async count({ signal }: CallOptions = {}): Promise<bigint> {
    const answer = await this.#send({ method: 'GET', path: '/tags?limit=1', signal }, [200]);
    return parseCount(answer.headers.get('plants-stored'));
  }

  /**
   * Stores rows in bulk; resolves to what became of them. Refused rows are named by their line in the source, the first 1,000 of them.
   *
   * The source is sent in parts, each of which is stored and acknowledged by itself and sent again after a lost connection. When this throws,
   * the parts that `onProgress` told are stored, and the next one may be: running the whole import again finishes the job. A row that an
   * earlier try stored counts as unchanged.
   */
  async import(source: ImportSource, options: ImportOptions): Promise<ImportReport> {
    return importParts(this.#transport, source, options);
  }

  /** Every plant that fits, as they were at one moment, ascending by id. Throws ConnectionError when the export breaks off: then it is not whole. */
  async *export(options: PlantFilter & CallOptions = {}): AsyncGenerator<StoredPlant, void, undefined> {
    yield* readPlants(await this.exportBytes('application/x-ndjson', options));
  }

  /** The same as the bytes of a file. The stream ends in ConnectionError when the export breaks off: a stream that closes is whole. */
  async exportBytes(
    mediaType: RowFormat,
    { tag, name, signal }: PlantFilter & CallOptions = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const path = `/plants/export${toQuery({ tag, name })}`;
    return toByteStream(
      await this.#transport.open({ method: 'GET', path, headers: { accept: mediaType }, signal }),
      signal,
    );
  }

  /** @throws PlantStoreError when the status is none of those that the operation makes use of. */
  async #send(outgoing: Outgoing, statuses: readonly number[]): Promise<Answer> {
    const headers = outgoing.body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await this.#transport.send({ ...outgoing, headers: { ...headers, ...outgoing.headers } });
    if (!statuses.includes(answer.status)) throw this.#transport.toError(answer);
    return answer;
  }

  /** @throws PlantStoreError when the 404 is not about the plant: the address is wrong then. */
  #checkAbsent(answer: Answer): void {
    const error = this.#transport.toError(answer);
    if (error.number !== plantUnknown) throw error;
  }

  /**
   * A condition failed: by our own earlier try, if its answer was lost and the plant is as it wanted it.
   * @throws PlantStoreError otherwise.
   */
  async #findOwn(
    answer: Answer,
    id: bigint,
    isAsSent: (plant: StoredPlant) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<PlantVersion> {
    const found = answer.isAnotherTry ? await this.get(id, { signal }) : undefined;
    if (found !== undefined && isAsSent(found.plant)) return found;
    throw this.#transport.toError(answer);
  }
}
