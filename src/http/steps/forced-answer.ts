/**
 * Answers that the client forces with the Prefer header field (RFC 7240), in a sandbox only: the
 * examples of the description, a delay, a cut connection. Reads and writes no plant.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findExample } from '../../contract/find-example.ts';
import type { Contract } from '../../contract/load-contract.ts';
import type { Operation } from '../../contract/operations.ts';
import { ClientGoneError } from '../wire/body.ts';
import { readPreferences } from '../wire/preferences.ts';
import { type Reply, securityHeaders } from '../wire/reply.ts';
import { preferredType } from '../wire/preferred-type.ts';

/** Maximum delay, in milliseconds. */
const delayMsMax = 10_000;
/** Maximum number of requests that wait; others are answered at once. */
const waitingMax = 2_000;

interface Forceable {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Set if the client wants half of the reply. */
  isCut: boolean;
}

export class ForcedAnswers {
  readonly #document: Contract['document'];
  readonly #shutdown: AbortSignal;
  /** Each ends a wait. */
  readonly #wakes = new Set<() => void>();

  /** @param shutdown ends all delays. */
  constructor({ document }: Pick<Contract, 'document'>, shutdown: AbortSignal) {
    this.#document = document;
    this.#shutdown = shutdown;
    shutdown.addEventListener('abort', () => {
      for (const wake of this.#wakes) wake();
    });
  }

  /**
   * Resolves after the wanted delay to the reply that the client forces; to undefined if the
   * request is served as usual. Ignores preferences that are unknown or that the operation does not
   * document: they are missing in Preference-Applied.
   * @throws ClientGoneError if the client disconnects while it waits.
   */
  async find(exchange: Forceable, operation: Operation): Promise<Reply | undefined> {
    const { request, response } = exchange;
    const { prefer } = request.headers;
    if (prefer === undefined) return undefined;
    const wanted = readPreferences(String(prefer));
    const applied: string[] = [];
    const reply = this.#findReply(wanted, request, operation, applied);
    const delay = wanted.get('delay') ?? '';
    if (/^\d{1,5}$/.test(delay) && Number(delay) <= delayMsMax && (await this.#wait(Number(delay), response)))
      applied.push(`delay=${Number(delay)}`);
    exchange.isCut = wanted.get('cut') === '';
    if (exchange.isCut) applied.push('cut');
    if (applied.length > 0) response.setHeader('preference-applied', applied.join(', '));
    return reply;
  }

  #findReply(
    wanted: ReadonlyMap<string, string>,
    { headers: { accept } }: IncomingMessage,
    operation: Operation,
    applied: string[],
  ): Reply | undefined {
    const choose = (types: readonly string[]): string | undefined => preferredType(accept, types);
    const find = (status: number | undefined, name: string | undefined): ReturnType<typeof findExample> =>
      findExample(this.#document, operation, { status, name, choose });
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
  async #wait(ms: number, response: ServerResponse): Promise<boolean> {
    if (response.destroyed) throw new ClientGoneError();
    if (this.#wakes.size >= waitingMax || this.#shutdown.aborted) return false;
    const isGone = await new Promise<boolean>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        response.off('close', wake);
        this.#wakes.delete(wake);
        resolve(response.destroyed);
      };
      const timer = setTimeout(wake, ms);
      this.#wakes.add(wake);
      response.once('close', wake);
    });
    if (isGone) throw new ClientGoneError();
    return !this.#shutdown.aborted;
  }
}
