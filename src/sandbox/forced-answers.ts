/**
 * Answers that the client forces with the Prefer header field (RFC 7240), in a sandbox only: the
 * examples of the description, a delay, a cut connection. Reads and writes no plant.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Contract } from '../contract/load-contract.ts';
import type { Operation } from '../contract/operations.ts';
import { Semaphore } from '../limits/semaphore.ts';
import type { Forceable, ForcedAnswer, ForcedAnswerFinder } from '../http/steps/forced-answer.ts';
import { ClientGoneError } from '../http/wire/body.ts';
import { preferredType } from '../http/wire/preferred-type.ts';
import { type Reply, securityHeaders } from '../http/wire/reply.ts';
import { findExample } from './find-example.ts';
import { readPreferences } from './read-preferences.ts';

/** Maximum delay, in milliseconds. */
const delayMsMax = 10_000;
/** Maximum number of requests that wait, of all and of one network; others are answered at once. */
const waitingMax = 2_000;
const waitingOfOneMax = 500;

/** What a client prefers, as far as the operation documents it. */
interface Preferred {
  /** Undefined: the request is served as usual. */
  readonly reply: Reply | undefined;
  readonly delayMs: number | undefined;
  readonly isCut: boolean;
  /** For Preference-Applied, but for the delay. */
  readonly applied: readonly string[];
}

interface ForcedAnswersDeps {
  readonly contract: Pick<Contract, 'document'>;
  /** Ends all delays. */
  readonly shutdown: AbortSignal;
  /** Returns whose share of the places a delay takes. */
  readonly findNetwork: (request: IncomingMessage) => string;
}

export class ForcedAnswers implements ForcedAnswerFinder {
  readonly #deps: ForcedAnswersDeps;
  readonly #places = new Semaphore(waitingMax, { ofOneMax: waitingOfOneMax });
  /** Each ends a wait. */
  readonly #wakes = new Set<() => void>();

  constructor(deps: ForcedAnswersDeps) {
    this.#deps = deps;
    deps.shutdown.addEventListener('abort', () => {
      for (const wake of this.#wakes) wake();
    });
  }

  /**
   * Returns undefined if the client prefers nothing. Ignores preferences that are unknown or that
   * the operation does not document: they are missing in Preference-Applied.
   */
  find({ headers: { prefer, accept } }: IncomingMessage, operation: Operation): ForcedAnswer | undefined {
    if (prefer === undefined) return undefined;
    const wanted = readPreferences(String(prefer));
    const applied: string[] = [];
    const reply = this.#findReply(wanted, accept, operation, applied);
    const delay = wanted.get('delay') ?? '';
    const hasDelay = /^\d{1,5}$/.test(delay) && Number(delay) <= delayMsMax;
    const delayMs = hasDelay ? Number(delay) : undefined;
    const preferred = { reply, delayMs, isCut: wanted.get('cut') === '', applied };
    return { reply, apply: (exchange) => this.#apply(preferred, exchange) };
  }

  async #apply({ reply, delayMs, isCut, applied }: Preferred, exchange: Forceable): Promise<Reply | undefined> {
    const { request, response } = exchange;
    const all = [...applied];
    if (delayMs !== undefined && (await this.#wait(delayMs, request, response))) all.push(`delay=${delayMs}`);
    exchange.isCut = isCut;
    if (isCut) all.push('cut');
    if (all.length > 0) response.setHeader('preference-applied', all.join(', '));
    return reply;
  }

  #findReply(
    wanted: ReadonlyMap<string, string>,
    accept: string | undefined,
    operation: Operation,
    applied: string[],
  ): Reply | undefined {
    const choose = (types: readonly string[]): string | undefined => preferredType(accept, types);
    const find = (status: number | undefined, name: string | undefined): ReturnType<typeof findExample> =>
      findExample(this.#deps.contract.document, operation, { status, name, choose });
    const code = wanted.get('code') ?? '';
    const status = /^\d{3}$/.test(code) ? Number(code) : undefined;
    const name = wanted.get('example');
    const named = name === undefined ? undefined : find(status, name);
    const found = named ?? (status === undefined ? undefined : find(status, undefined));
    if (found === undefined) return undefined;
    if (status !== undefined) applied.push(`code=${code}`);
    if (named?.name !== undefined) applied.push(`example=${named.name}`);
    const { content } = found;
    return {
      status: found.status,
      headers: { ...securityHeaders, ...found.headers },
      ...(content === undefined ? {} : { body: content }),
    };
  }

  /** Resolves to whether it has waited: not if too many do, or the service shuts down. */
  async #wait(ms: number, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { socket } = request;
    const { shutdown, findNetwork } = this.#deps;
    if (response.destroyed) throw new ClientGoneError();
    // A client that has closed its side may have gone: it gets the reply at once, which shows it.
    if (shutdown.aborted || socket.readableEnded) return false;
    const free = this.#places.tryTake(findNetwork(request));
    if (free === undefined) return false;
    const isOver = await new Promise<boolean | undefined>((resolve) => {
      const end = (isOver: boolean): void => {
        clearTimeout(timer);
        socket.off('end', wake);
        response.off('close', wake);
        this.#wakes.delete(wake);
        resolve(response.destroyed ? undefined : isOver);
      };
      const wake = (): void => end(false);
      const timer = setTimeout(() => end(true), ms);
      this.#wakes.add(wake);
      response.once('close', wake);
      socket.once('end', wake);
    });
    free();
    if (isOver === undefined) throw new ClientGoneError();
    return isOver;
  }
}
