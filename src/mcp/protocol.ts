/**
 * Requests of the Model Context Protocol, short of calls of tools: versions, identity, the list
 * of tools. Serves clients that begin with `initialize` (2025-06-18 and 2025-11-25) and those
 * that send their version with each request (2026-07-28).
 */
import type { JsonObject, JsonValue } from '../json/parse-json.ts';
import type { Tool } from './tools.ts';

/** Versions in which a client sends its version with each request, newest first. */
const statelessVersions: readonly string[] = ['2026-07-28'];
/** Versions that begin with `initialize`, newest first. Older ones have batches. */
const sessionVersions = ['2025-11-25', '2025-06-18'] as const;

/** Codes of JSON-RPC 2.0, section 5.1; the last one is the protocol's own. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  unsupportedVersion: -32022,
} as const;

/** An error of the protocol, which the client sees; errors of tools are for the model. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: keyof typeof rpcCodes, message: string, data?: unknown) {
    super(message);
    this.code = rpcCodes[code];
    this.data = data;
  }
}

const metaPrefix = 'io.modelcontextprotocol/';
/** How long a client may keep the list, in milliseconds: it never changes while this runs. */
const listMs = 3_600_000;
const capabilities = { tools: {} };
const instructions =
  'Plants have an id, a name and perhaps a tag. Ids are signed 64-bit integers, written as strings of digits in arguments and results: "9007199254740993".';

export class Protocol {
  readonly #tools: readonly Tool[];
  readonly #serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** Whether the client has begun with `initialize`. */
  #hasSession = false;

  constructor(tools: readonly Tool[], version: string) {
    this.#tools = tools;
    this.#serverInfo = { name: 'plant-store', title: 'Plant Store', version };
  }

  /**
   * The result of a request, and whether it is one of `tools/call`, which the caller makes.
   * @throws RpcError
   */
  respond(method: string, params: JsonObject): Readonly<Record<string, unknown>> | 'call' {
    if (method === 'ping') return {};
    if (method === 'initialize') return this.#initialize(params);
    if (method !== 'server/discover' && method !== 'tools/list' && method !== 'tools/call')
      throw new RpcError('methodNotFound', `There is no method "${method.slice(0, 80)}"`);
    this.#checkVersion(params, method === 'server/discover');
    if (method === 'tools/call') return 'call';
    const cached = { ttlMs: listMs, cacheScope: 'public' };
    if (method === 'tools/list')
      return this.complete({ tools: this.#tools.map(({ description }) => description), ...cached });
    return this.complete({ supportedVersions: statelessVersions, capabilities, instructions, ...cached });
  }

  /** The members that version 2026-07-28 adds to each result; earlier ones allow them. */
  complete(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return { resultType: 'complete', ...result, _meta: { [`${metaPrefix}serverInfo`]: this.#serverInfo } };
  }

  #initialize({ protocolVersion }: JsonObject): Readonly<Record<string, unknown>> {
    if (typeof protocolVersion !== 'string')
      throw new RpcError('invalidParams', '"protocolVersion" of initialize must be a string');
    this.#hasSession = true;
    return {
      protocolVersion: sessionVersions.find((each) => each === protocolVersion) ?? sessionVersions[0],
      capabilities,
      serverInfo: this.#serverInfo,
      instructions,
    };
  }

  /** @param isStateless whether only versions without `initialize` have the method. */
  #checkVersion({ _meta: meta }: JsonObject, isStateless: boolean): void {
    const requested = toMember(meta, 'protocolVersion');
    if (requested === undefined && this.#hasSession && !isStateless) return;
    if (typeof requested !== 'string' || !isObject(toMember(meta, 'clientCapabilities')))
      throw new RpcError(
        'invalidParams',
        `Begin with "initialize", or send ${metaPrefix}protocolVersion and ${metaPrefix}clientCapabilities in "_meta" of each request`,
      );
    if (!statelessVersions.includes(requested))
      throw new RpcError('unsupportedVersion', 'Unsupported protocol version', {
        supported: [...statelessVersions, ...sessionVersions],
        requested,
      });
  }
}

function toMember(meta: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(meta) ? meta[metaPrefix + name] : undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
