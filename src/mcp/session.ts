/**
 * One client: JSON-RPC messages in, replies out. Calls of tools run side by side, with a limit,
 * a time-out and cancellation; every other message is answered before the next one is read.
 */
import type { PlantClient } from '../client/client.ts';
import { PlantStoreError } from '../client/errors.ts';
import { JsonError } from '../json/json-error.ts';
import { type JsonObject, type JsonValue, parseJson } from '../json/parse-json.ts';
import { toJson } from '../json/to-json.ts';
import { ToolError } from './arguments.ts';
import { isObject, Protocol, RpcError } from './protocol.ts';
import type { Line } from './read-lines.ts';
import type { Tool } from './tools.ts';

/** Calls at once. More are refused: their results would wait in memory. */
const callsMax = 64;
/** Milliseconds; clients commonly wait for 60 s. */
const callMsDefault = 45_000;

type RequestId = string | bigint;

export interface SessionOptions {
  readonly tools: readonly Tool[];
  readonly client: PlantClient;
  /** Version of the program. */
  readonly version: string;
  /** Adds to an error of the client what its user can do. */
  readonly explain: (error: unknown) => unknown;
  /** Resolves once the text has left. */
  readonly write: (text: string) => Promise<void>;
  /** Called with what should never happen, for the log. */
  readonly onBug: (error: unknown) => void;
  /** Aborts all calls. */
  readonly signal: AbortSignal;
  /** Longest time of a call, in milliseconds. Default 45,000. */
  readonly callMs?: number;
}

export class Session {
  readonly #options: SessionOptions;
  readonly #protocol: Protocol;
  readonly #calls = new Map<RequestId, { readonly cancel: AbortController; readonly ended: Promise<void> }>();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#protocol = new Protocol(options.tools, options.version);
  }

  /** Resolves once a reply has left; at once if there is none yet. */
  async take(line: Line): Promise<void> {
    let id: RequestId | undefined;
    try {
      const message = parseMessage(line, (found) => void (id = found));
      if (message === undefined) return;
      const { method, params } = message;
      if (id === undefined) {
        if (method === 'notifications/cancelled') this.#calls.get(params['requestId'] as RequestId)?.cancel.abort();
        return;
      }
      if (this.#calls.has(id)) throw new RpcError('invalidRequest', 'A call with this id is not finished');
      const result = this.#protocol.respond(method, params);
      if (result !== 'call') await this.#send({ id, result });
      else await this.#startCall(id, params);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      await this.#send({ id, error: { code, message, data } });
    }
  }

  /** Resolves when all calls have ended. */
  async end(): Promise<void> {
    await Promise.all([...this.#calls.values()].map(({ ended }) => ended));
  }

  async #startCall(id: RequestId, { name, arguments: given = {} }: JsonObject): Promise<void> {
    const tool = this.#options.tools.find((each) => each.name === name);
    if (tool === undefined)
      throw new RpcError('invalidParams', 'There is no such tool; those that change plants need the option --write');
    if (!isObject(given)) throw new RpcError('invalidParams', '"arguments" must be an object');
    if (this.#calls.size >= callsMax) {
      const result = toFailure(new ToolError(`Only ${callsMax} calls can run at once: wait, and call again`));
      return this.#send({ id, result: this.#protocol.complete(result) });
    }
    const cancel = new AbortController();
    const ended = this.#call(tool, given, id, cancel.signal).finally(() => this.#calls.delete(id));
    this.#calls.set(id, { cancel, ended });
  }

  async #call(tool: Tool, given: JsonObject, id: RequestId, cancelled: AbortSignal): Promise<void> {
    const { client, signal, callMs = callMsDefault } = this.#options;
    const timeout = AbortSignal.timeout(callMs);
    const outcome = await tool.call(given, client, AbortSignal.any([cancelled, signal, timeout])).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    // The client does not wait for it any more.
    if (cancelled.aborted || signal.aborted) return;
    const result = 'value' in outcome ? toSuccess(outcome.value) : this.#toFailure(outcome.error, timeout, tool);
    await this.#send({ id, result: this.#protocol.complete(result) });
  }

  #toFailure(error: unknown, timeout: AbortSignal, { isWrite }: Tool): Readonly<Record<string, unknown>> {
    if (error === timeout.reason && timeout.aborted) {
      const advice = isWrite ? 'It may still be executed: read the plant before you try again' : 'Try again later';
      return toFailure(new ToolError(`The service did not answer in time. ${advice}`));
    }
    if (error instanceof ToolError) return toFailure(error);
    const explained = this.#options.explain(error);
    if (error instanceof PlantStoreError) return toFailure(new ToolError(toMessage(explained), error.number));
    if (explained === error) this.#options.onBug(error);
    return toFailure(new ToolError(toMessage(explained)));
  }

  #send(reply: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#options.write(`${toJson({ jsonrpc: '2.0', ...reply })}\n`);
  }
}

interface Message {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * Returns undefined for a response, as nothing was asked.
 * @param onId called with the id of a request, also if the rest cannot be used.
 * @throws RpcError
 */
function parseMessage(line: Line, onId: (id: RequestId) => void): Message | undefined {
  if (!('text' in line)) throw new RpcError('parseError', `Cannot read the message: ${line.problem}`);
  const message = parseExactly(line.text, onId);
  if (Array.isArray(message))
    throw new RpcError('invalidRequest', 'The protocol has no batches since 2025-06-18: send one message a line');
  if (!isObject(message)) throw new RpcError('invalidRequest', 'A message must be an object');
  const { jsonrpc, id, method, params = {} } = message;
  if (typeof id === 'string' || typeof id === 'bigint') onId(id);
  else if (id !== undefined) throw new RpcError('invalidRequest', '"id" must be a string or a 64-bit integer');
  if (method === undefined && ('result' in message || 'error' in message)) return undefined;
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    throw new RpcError('invalidRequest', 'A message must have "jsonrpc": "2.0" and a "method"');
  if (isObject(params)) return { method, params };
  throw new RpcError('invalidParams', '"params" must be an object');
}

/** Strictly; a text that only our parser refuses still says which request it was. */
function parseExactly(text: string, onId: (id: RequestId) => void): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const id = findId(text);
    if (id !== undefined) onId(id);
    throw new RpcError('parseError', error.message);
  }
}

function findId(text: string): RequestId | undefined {
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    return typeof id === 'string' ? id : Number.isSafeInteger(id) ? BigInt(id as number) : undefined;
  } catch {
    return undefined;
  }
}

function toSuccess(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { content: [{ type: 'text', text: toJson(value) }], structuredContent: value };
}

function toFailure({ message, number }: ToolError): Readonly<Record<string, unknown>> {
  return {
    content: [{ type: 'text', text: message }],
    structuredContent: { error: number, message },
    isError: true,
  };
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
