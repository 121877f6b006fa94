/** Parses responses into the schemas of the description, with exact ids; refuses other shapes. */
import type {
  Author,
  BatchError,
  BatchReport,
  Change,
  Delivery,
  ImportError,
  ImportReport,
  OwnToken,
  Plant,
  StoredPlant,
  TagCount,
  Token,
  TokenWithSecret,
  Webhook,
  WebhookTest,
  WebhookWithSecret,
} from '../domain/schemas.ts';
import { type JsonObject, type JsonValue, parseJson } from '../json/parse-json.ts';
import { ConnectionError } from './errors.ts';
import type { PlantVersion } from './options.ts';

/** Bytes that are no UTF-8 are refused: a replaced character would be another name. */
export function openDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
}

/** @param stream whether the bytes are a part of a text, which may end inside a character. */
export function decode(bytes: Uint8Array, decoder: TextDecoder, stream = false): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    throw new ConnectionError('response', 'Cannot use the response: it is not UTF-8', error);
  }
}

/**
 * Reads a value of a response; undefined is an absent member.
 * @throws TypeError for another value.
 */
type Read<Value> = (value: JsonValue | undefined) => Value;

const text: Read<string> = (value) => (typeof value === 'string' ? value : refuse());
const int64: Read<bigint> = (value) => (typeof value === 'bigint' ? value : refuse());
const int32: Read<number> = (value) => Number(int64(value));
const flag: Read<boolean> = (value) => (typeof value === 'boolean' ? value : refuse());

function oneOf<const Value extends string>(...values: readonly Value[]): Read<Value> {
  return (value) => values.find((each) => each === value) ?? refuse();
}

function optional<Value>(read: Read<Value>): Read<Value | undefined> {
  return (value) => (value === undefined ? undefined : read(value));
}

function list<Item>(read: Read<Item>): Read<readonly Item[]> {
  return (value) => (Array.isArray(value) ? value.map((item) => read(item)) : refuse());
}

/** Members of a schema that are not listed do not compile; others of a response are left out. */
function shape<Shape>(members: { readonly [Name in keyof Required<Shape>]: Read<Shape[Name]> }): Read<Shape> {
  const readers = Object.entries<Read<unknown>>(members);
  return (value) => {
    const given = toObject(value);
    const found: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const member = read(given[name]);
      if (member !== undefined) found[name] = member;
    }
    return found as Shape;
  };
}

function toObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : refuse();
}

function refuse(): never {
  throw new TypeError('The value has another type');
}

const plant = { name: text, tag: optional(text) };
const storedPlant = shape<StoredPlant>({ id: int64, ...plant });
const change = shape<Change>({
  position: text,
  at: text,
  kind: oneOf('created', 'replaced', 'deleted'),
  id: int64,
  plant: optional(storedPlant),
  before: optional(storedPlant),
  by: optional(shape<Author>({ token: text, name: text })),
  group: optional(text),
});
const importReport = shape<ImportReport>({
  read: int64,
  created: int64,
  unchanged: int64,
  replaced: int64,
  skipped: int64,
  refused: int64,
  errors: list(shape<ImportError>({ line: int64, error: int32, message: text })),
});
const batchReport = shape<BatchReport>({
  group: text,
  done: flag,
  read: int64,
  changed: int64,
  unchanged: int64,
  refused: int64,
  expired: optional(int64),
  errors: list(shape<BatchError>({ id: int64, error: int32, message: text })),
});
const event = oneOf('plant.created', 'plant.replaced', 'plant.deleted');
const delivery = shape<Delivery>({
  id: text,
  event,
  plantId: int64,
  status: oneOf('delivered', 'waiting', 'failed'),
  attempts: int32,
  createdAt: text,
  lastAttemptAt: text,
  nextAttemptAt: optional(text),
  responseStatus: optional(int32),
  error: optional(text),
});
const webhook = {
  id: text,
  url: text,
  events: list(event),
  enabled: flag,
  disabledReason: optional(text),
  notice: optional(text),
  createdAt: text,
  failingSince: optional(text),
  lastDelivery: optional(delivery),
  waiting: optional(int32),
  behind: optional(int32),
  behindSince: optional(text),
};
const ownToken = {
  id: text,
  name: text,
  scopes: list(oneOf('plants:read', 'plants:write', 'webhooks:manage', 'tokens:manage')),
  expiresAt: optional(text),
};
const token = {
  ...ownToken,
  state: oneOf('active', 'expired', 'revoked'),
  createdAt: text,
  createdBy: optional(text),
  revokedAt: optional(text),
  lastUsedAt: optional(text),
};

export const parsePlant = toParser('a plant', shape<Plant>(plant));
export const parseStoredPlant = toParser('a plant', storedPlant);
export const parsePlants = toParser('a list', list(storedPlant));
export const parseTagCounts = toParser('a list of tags', list(shape<TagCount>({ tag: text, plants: int64 })));
export const parseChanges = toParser('a list of changes', list(change));
export const parseReport = toParser('an import report', importReport);
export const parseBatchReport = toParser('a report of a batch', batchReport);
export const parseWebhook = toParser('a webhook', shape<Webhook>(webhook));
export const parseWebhooks = toParser('a list of webhooks', list(shape<Webhook>(webhook)));
export const parseSecret = toParser('a webhook', shape<WebhookWithSecret>({ ...webhook, secret: text }));
export const parseWebhookTest = toParser(
  'the result of a test',
  shape<WebhookTest>({ delivered: flag, responseStatus: optional(int32), error: optional(text) }),
);
export const parseDelivery = toParser('a delivery', delivery);
export const parseDeliveries = toParser('a list of deliveries', list(delivery));
export const parseTokens = toParser('a list of tokens', list(shape<Token>(token)));
export const parseOwnToken = toParser('a token', shape<OwnToken>(ownToken));
export const parseTokenWithSecret = toParser('a token', shape<TokenWithSecret>({ ...token, token: text }));
const parseDigits = toParser('a count', int64);

/** @param field of the response, digits. */
export function parseCount(field: string | null): bigint {
  return parseDigits(field ?? '');
}

/** Parses the response to a request for one plant. */
export function parseVersion({ headers, text }: { readonly headers: Headers; readonly text: string }): PlantVersion {
  // The service sends strong ones only. A proxy that compresses makes them weak, and a weak one
  // matches nothing in If-Match.
  const etag = headers.get('etag')?.replace(/^W\//, '');
  if (etag === undefined) throw new ConnectionError('response', 'Cannot use the response: it has no ETag');
  return { plant: parseStoredPlant(text), etag };
}

/** undefined when the text is no error of a plant store, such as the page of a proxy. */
export function parseErrorBody(text: string): { readonly number: number; readonly message: string } | undefined {
  try {
    const { error, message } = toObject(parseJson(text));
    return typeof error === 'bigint' && typeof message === 'string' ? { number: Number(error), message } : undefined;
  } catch {
    return undefined;
  }
}

/** The parser throws ConnectionError for another text. */
function toParser<Value>(wanted: string, read: Read<Value>): (text: string) => Value {
  return (json) => {
    try {
      return read(parseJson(json));
    } catch (cause) {
      throw new ConnectionError('response', `Cannot use the response: it is not ${wanted} of a plant store`, cause);
    }
  };
}
