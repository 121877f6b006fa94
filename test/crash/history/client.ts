/**
 * A client of a history: sends random requests over one connection, one after the other, and
 * records what comes back.
 */
import { Agent } from 'node:http';
import type { Random } from '../random.ts';
import { type Response, sendRequest } from '../send-request.ts';
import { absent, type State, toState } from './operation.ts';
import { type Content, isNotExecuted, type Outcome, readRows, type Recorder } from './recorder.ts';

export interface ClientOptions {
  readonly number: number;
  readonly port: number;
  readonly ids: readonly [bigint, ...bigint[]];
  readonly random: Random;
  readonly recorder: Recorder;
  /** The store holds many other plants: no export without a filter. */
  readonly hasOthers: boolean;
}

const words: [string, ...string[]] = ['oak', 'elm'];
const tags: [string, ...string[]] = ['history-a', 'history-b'];

type Actions = readonly [Action, ...Action[]];
type Action = (id: bigint) => Promise<void>;
type Condition = Readonly<Record<string, string>>;

export class Client {
  readonly #options: ClientOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** The entity tags seen last, by id. */
  readonly #etags = new Map<bigint, string>();
  #isConnected = true;
  readonly #readTwice = async (id: bigint): Promise<void> => {
    // The second read must not be older than the first, whichever path serves each.
    await this.find(id, this.#etags.get(id));
    await this.find(id);
  };
  readonly #writerActions: Actions = [
    (id) => this.#create(id),
    (id) => this.#create(id),
    (id) => this.#put(id),
    (id) => this.#put(id),
    (id) => this.#patch(id),
    (id) => this.#delete(id),
    (id) => this.#deleteInBatch(id),
    this.#readTwice,
    () => this.list(),
    () => this.#export(),
  ];
  readonly #readerActions: Actions = [
    this.#readTwice,
    this.#readTwice,
    this.#readTwice,
    this.#readTwice,
    this.#readTwice,
    (id) => this.find(id),
    (id) => this.#put(id),
    () => this.list(),
    () => this.#export(),
  ];

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Resolves when the service is gone or `isOver` returns true. */
  async run(isOver: () => boolean): Promise<void> {
    const { random, number } = this.#options;
    // Every second client mostly reads: a cache that lags is seen only by who reads the same plant on two paths.
    const actions = number % 2 === 0 ? this.#readerActions : this.#writerActions;
    while (this.#isConnected && !isOver()) await random.pick(actions)(this.#pickId());
    this.close();
  }

  close(): void {
    this.#agent.destroy();
  }

  /** GET /plants/{id}, on condition that its entity tag is another one than `known`. */
  async find(id: bigint, known?: string): Promise<void> {
    const { recorder } = this.#options;
    const headers = known === undefined ? {} : { 'if-none-match': known };
    await this.#operate(id, 'GET', headers, undefined, (response) => {
      if (response === undefined) return undefined;
      if (response.status === 404) return { accepts: (state) => state === absent };
      if (response.status === 304 && known !== undefined) {
        const unchanged = recorder.stateOf(known);
        return { accepts: (state) => state === unchanged };
      }
      if (response.status !== 200) return this.#refuse(response);
      const seen = this.#readPlant(id, response);
      return { accepts: (state) => state === seen && (known === undefined || seen !== recorder.stateOf(known)) };
    });
  }

  /** GET /plants: one page, with or without filters. */
  async list(): Promise<void> {
    const { random, ids } = this.#options;
    const tag = random.integer(0, 1) === 0 ? undefined : random.pick(tags);
    const word = random.integer(0, 1) === 0 ? undefined : random.pick(words);
    // The ids of a history are the lowest ones: a page of this length shows all of them.
    await this.#read(`/plants?limit=${ids.length}`, tag, word);
  }

  async #export(): Promise<void> {
    const { random, hasOthers } = this.#options;
    const kind = random.integer(hasOthers ? 1 : 0, 3);
    await this.#read(
      '/plants/export?',
      kind === 1 || kind === 3 ? random.pick(tags) : undefined,
      kind >= 2 ? random.pick(words) : undefined,
    );
  }

  async #create(id: bigint): Promise<void> {
    const content = this.#makeContent();
    const wanted = toState(content);
    const create = (): Promise<void> =>
      this.#operate(id, 'POST', {}, content, (response) => {
        if (response === undefined) return { accepts: isAbsent, result: wanted, isAmbiguous: true };
        const isReplayed = response.headers['idempotent-replayed'] === 'true';
        if (response.status === 200 && isReplayed) return { accepts: (state) => state === wanted };
        if (response.status === 200) return { accepts: isAbsent, result: wanted };
        if (response.status === 409) return { accepts: (state) => state !== absent && state !== wanted };
        return this.#refuse(response);
      });
    await create();
    if (this.#options.random.integer(0, 3) === 0) await create();
  }

  async #put(id: bigint): Promise<void> {
    const content = this.#makeContent();
    const result = toState(content);
    const [headers, holds] = this.#pickCondition(id);
    await this.#operate(id, 'PUT', headers, content, (response) => {
      if (response === undefined) return { accepts: holds, result, isAmbiguous: true };
      if (response.status === 201) return { accepts: (state) => state === absent && holds(state), result };
      if (response.status === 200) {
        this.#requirePlant(id, response, result);
        return { accepts: (state) => state !== absent && holds(state), result };
      }
      if (response.status === 412) return { accepts: (state) => !holds(state) };
      return this.#refuse(response);
    });
  }

  async #patch(id: bigint): Promise<void> {
    const content = this.#makeContent();
    const result = toState(content);
    const [headers, holds] = this.#pickCondition(id);
    const accepts = (state: State): boolean => state !== absent && holds(state);
    await this.#operate(id, 'PATCH', headers, content, (response) => {
      if (response === undefined) return { accepts, result, isAmbiguous: true };
      if (response.status === 404) return { accepts: isAbsent };
      if (response.status === 412) return { accepts: (state) => state !== absent && !holds(state) };
      if (response.status !== 200) return this.#refuse(response);
      this.#requirePlant(id, response, result);
      return { accepts, result };
    });
  }

  async #delete(id: bigint): Promise<void> {
    const [headers, holds] = this.#pickCondition(id);
    const accepts = (state: State): boolean => state !== absent && holds(state);
    await this.#operate(id, 'DELETE', headers, undefined, (response) => {
      if (response === undefined) return { accepts, result: absent, isAmbiguous: true };
      if (response.status === 204) return { accepts, result: absent };
      if (response.status === 404) return { accepts: isAbsent };
      if (response.status === 412) return { accepts: (state) => state !== absent && !holds(state) };
      return this.#refuse(response);
    });
  }

  /** POST /plants/batch: deletes one plant, so that its report tells what became of it. */
  async #deleteInBatch(id: bigint): Promise<void> {
    const { recorder, number } = this.#options;
    const start = recorder.next();
    const body = `{"action":"delete","plants":[${id}]}`;
    const response = await this.#send('POST', '/plants/batch', {}, body);
    if (response !== undefined && isNotExecuted(response)) return;
    const what = `client ${number} ${body} -> ${response?.body.slice(0, 120) ?? 'no response'}`;
    recorder.add(id, start, what, this.#toDeletion(response));
  }

  #toDeletion(response: Response | undefined): Outcome {
    const accepts = (state: State): boolean => state !== absent;
    if (response === undefined || response.status === 503) return { accepts, result: absent, isAmbiguous: true };
    if (response.status !== 200) return this.#refuse(response);
    const { changed, unchanged } = JSON.parse(response.body) as { changed: number; unchanged: number };
    if (changed + unchanged !== 1) return this.#refuse(response);
    return changed === 1 ? { accepts, result: absent } : { accepts: isAbsent };
  }

  async #operate(
    id: bigint,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    headers: Condition,
    content: Content | undefined,
    toOutcome: (response: Response | undefined) => Outcome,
  ): Promise<void> {
    const { recorder } = this.#options;
    const path = method === 'POST' ? '/plants' : `/plants/${id}`;
    const start = recorder.next();
    const response = await this.#send(method, path, { ...headers, ...mergeType(method) }, toBody(method, id, content));
    const condition = Object.entries(headers)
      .map(([name, value]) => ` ${name}: ${value}`)
      .join('');
    const what = `client ${this.#options.number} ${method}${condition} ${content === undefined ? '' : toState(content)}`;
    const shown = response === undefined ? 'no response' : `${response.status} ${response.body.slice(0, 80)}`;
    if (response !== undefined && isNotExecuted(response)) return;
    const isUnknown = response === undefined || (response.status === 503 && method !== 'GET');
    recorder.add(id, start, `${what} -> ${shown}`, toOutcome(isUnknown ? undefined : response));
  }

  async #read(path: string, tag: string | undefined, word: string | undefined): Promise<void> {
    const { recorder, ids } = this.#options;
    const query = (tag === undefined ? '' : `&tag=${tag}`) + (word === undefined ? '' : `&name=${word}`);
    const start = recorder.next();
    const response = await this.#send('GET', path + query, {}, undefined);
    if (response === undefined || response.status === 503) return;
    if (response.status !== 200) {
      this.#refuse(response);
      return;
    }
    const rows = readRows(response.body);
    const isMatch = (state: State): boolean =>
      state !== absent &&
      (tag === undefined || state.startsWith(`${tag}/`)) &&
      (word === undefined || state.includes(`/${word} `));
    for (const id of ids) {
      const state = rows.get(id);
      if (state !== undefined && !isMatch(state)) recorder.wrong.push(`${path}${query} shows ${id} as ${state}`);
    }
    recorder.addSnapshot({
      what: `client ${this.#options.number} GET ${path}${query}`,
      start,
      accepts: (id, state) => (rows.has(id) ? rows.get(id) === state : !isMatch(state)),
    });
  }

  /** Resolves to undefined when it is unknown what the service did. */
  async #send(
    method: string,
    path: string,
    headers: Condition,
    body: string | undefined,
  ): Promise<Response | undefined> {
    try {
      return await sendRequest(this.#options.port, { method, path, headers, body }, this.#agent);
    } catch {
      this.#isConnected = false;
      return undefined;
    }
  }

  #pickId(): bigint {
    const { random, ids } = this.#options;
    // Half of the requests meet at one plant, a quarter at two more.
    const last = [0, 0, 2, ids.length - 1][random.integer(0, 3)] ?? 0;
    return ids[random.integer(0, last)] ?? ids[0];
  }

  #pickCondition(id: bigint): [Condition, (state: State) => boolean] {
    const etag = this.#etags.get(id) ?? '"unknown"';
    const named = this.#options.recorder.stateOf(etag);
    switch (this.#options.random.integer(0, 6)) {
      case 0:
        return [{ 'if-none-match': '*' }, isAbsent];
      case 1:
        return [{ 'if-match': '*' }, (state) => state !== absent];
      case 2:
        return [{ 'if-none-match': etag }, (state) => state === absent || state !== named];
      case 3:
        return [{}, () => true];
      default:
        return [{ 'if-match': etag }, (state) => state !== absent && state === named];
    }
  }

  #makeContent(): Content {
    const { random, recorder } = this.#options;
    const name = recorder.makeName(random.pick(words));
    return random.integer(0, 2) === 0 ? { name } : { name, tag: random.pick(tags) };
  }

  #readPlant(id: bigint, { body, headers }: Response): State {
    const state = toState(JSON.parse(body) as Content);
    this.#options.recorder.noteEtag(headers.etag, state);
    if (headers.etag !== undefined) this.#etags.set(id, headers.etag);
    return state;
  }

  #requirePlant(id: bigint, response: Response, wanted: State): void {
    const state = this.#readPlant(id, response);
    if (state !== wanted) this.#options.recorder.wrong.push(`A write of ${wanted} to ${id} returned ${state}`);
  }

  #refuse({ status, body }: Response): Outcome {
    this.#options.recorder.wrong.push(`Unexpected response ${status} ${body}`);
    return undefined;
  }
}

const isAbsent = (state: State): boolean => state === absent;

function mergeType(method: string): Condition {
  return method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
}

function toBody(method: string, id: bigint, content: Content | undefined): string | undefined {
  if (content === undefined) return undefined;
  const members = [`"name":${JSON.stringify(content.name)}`];
  if (method === 'POST') members.unshift(`"id":${id}`);
  if (content.tag !== undefined) members.push(`"tag":${JSON.stringify(content.tag)}`);
  else if (method === 'PATCH') members.push('"tag":null');
  return `{${members.join()}}`;
}
