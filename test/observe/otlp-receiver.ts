/** A receiver of traces: keeps the spans of each request (OTLP over HTTP, in Protocol Buffers), and responds as a test says. */
import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Cleanup } from '../support/clean-up.ts';
import { listen } from '../support/listen.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it is the first of its trace. */
  readonly parentId: string;
  readonly name: string;
  /** 1: internal, 2: server, 3: client. */
  readonly kind: number;
  readonly startedAt: bigint;
  readonly endedAt: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError: boolean;
}

export interface OtlpReceiver {
  /** The value of the variable for all signals. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The attributes of the service in the last request. */
  readonly resource: () => ReceivedSpan['attributes'];
  /** All bytes so far. */
  readonly bytes: () => string;
  /** Requests so far, also those that are refused. */
  readonly requests: () => number;
}

/** Starts a receiver, which stops when `scope` ends. */
export async function startOtlpReceiver(
  scope: Cleanup,
  respond: (response: ServerResponse, index: number) => unknown = (response) => response.end(),
): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let resource: ReceivedSpan['attributes'] = {};
  let bytes = '';
  let requests = 0;
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      bytes += body.toString('latin1');
      if (request.url === '/v1/traces') {
        for (const each of parse(body).all(1)) {
          resource = toAttributes(each.message(1), 1);
          for (const scoped of each.all(2)) spans.push(...scoped.all(2).map(toSpan));
        }
      }
      requests += 1;
      respond(response, requests - 1);
    });
  });
  const url = `http://127.0.0.1:${await listen(scope, server)}`;
  return { url, spans, resource: () => resource, bytes: () => bytes, requests: () => requests };
}

/** Numbers of fields: opentelemetry-proto, trace/v1/trace.proto. */
function toSpan(span: Message): ReceivedSpan {
  return {
    traceId: span.bytes(1).toString('hex'),
    spanId: span.bytes(2).toString('hex'),
    parentId: span.bytes(4).toString('hex'),
    name: span.bytes(5).toString(),
    kind: Number(span.number(6)),
    startedAt: span.number(7),
    endedAt: span.number(8),
    attributes: toAttributes(span, 9),
    isError: span.message(15).number(3) === 2n,
  };
}

function toAttributes(message: Message, field: number): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    message.all(field).map((pair) => {
      const value = pair.message(2);
      return [pair.bytes(1).toString(), value.has(1) ? value.bytes(1).toString() : Number(value.number(3))];
    }),
  );
}

/** A message: the values of its fields by their numbers. */
class Message {
  readonly #values: ReadonlyMap<number, readonly (Buffer | bigint)[]>;

  constructor(values: ReadonlyMap<number, readonly (Buffer | bigint)[]>) {
    this.#values = values;
  }

  has(field: number): boolean {
    return this.#values.has(field);
  }

  bytes(field: number): Buffer {
    const [value] = this.#values.get(field) ?? [];
    return value instanceof Buffer ? value : Buffer.alloc(0);
  }

  number(field: number): bigint {
    const [value] = this.#values.get(field) ?? [];
    return typeof value === 'bigint' ? value : 0n;
  }

  message(field: number): Message {
    return parse(this.bytes(field));
  }

  all(field: number): Message[] {
    return (this.#values.get(field) ?? []).map((value) => parse(value as Buffer));
  }
}

/** protobuf.dev/programming-guides/encoding */
function parse(bytes: Buffer): Message {
  const values = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const read: Readonly<Record<number, () => Buffer | bigint>> = {
    0: readVarint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(readVarint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const value = read[key & 7]?.();
    if (value === undefined) throw new Error(`There is no wire type ${key & 7}`);
    values.set(key >> 3, [...(values.get(key >> 3) ?? []), value]);
  }
  return new Message(values);
}
