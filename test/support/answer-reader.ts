/** Parses HTTP/1.1 responses from the bytes of a connection, one by one. Does not check them. */
import { Buffer } from 'node:buffer';

/** A response as received, including interim ones (1xx). */
export interface RawAnswer {
  readonly status: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export class AnswerReader {
  #bytes: Buffer = Buffer.alloc(0);
  #isEnded = false;

  push(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  /** Marks the end of the input. */
  end(): void {
    this.#isEnded = true;
  }

  /** Bytes not yet parsed. */
  get left(): Buffer {
    return this.#bytes;
  }

  /**
   * Returns the next complete response; undefined if it has not arrived yet.
   * @param method of the request: a response to HEAD has no body.
   * @throws Error if the bytes are not a response.
   */
  take(method: string): RawAnswer | undefined {
    const headEnd = this.#bytes.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const [statusLine = '', ...lines] = this.#bytes.toString('latin1', 0, headEnd).split('\r\n');
    const status = /^HTTP\/1\.1 ([1-9]\d\d) /.exec(statusLine)?.[1];
    if (status === undefined) throw new Error(`This is no status line: ${JSON.stringify(statusLine.slice(0, 80))}`);
    const fields = lines.map(toField);
    const content = this.#takeBody(headEnd + 4, toFraming(method, Number(status), fields));
    if (content === undefined) return undefined;
    this.#bytes = this.#bytes.subarray(content.end);
    return { status: Number(status), fields, body: content.body };
  }

  #takeBody(start: number, framing: number | 'chunked' | 'close'): Content | undefined {
    if (framing === 'chunked') return readChunks(this.#bytes, start);
    if (framing === 'close' && !this.#isEnded) return undefined;
    const end = framing === 'close' ? this.#bytes.length : start + framing;
    return end > this.#bytes.length ? undefined : { body: this.#bytes.subarray(start, end), end };
  }
}

interface Content {
  readonly body: Buffer;
  /** The position after it. */
  readonly end: number;
}

function toField(line: string): readonly [string, string] {
  const match = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line);
  if (match === null) throw new Error(`This is no header field: ${JSON.stringify(line.slice(0, 80))}`);
  return [match[1] ?? '', match[2] ?? ''];
}

/** RFC 9112, section 6.3. */
function toFraming(method: string, status: number, fields: RawAnswer['fields']): number | 'chunked' | 'close' {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return 0;
  const find = (wanted: string): string | undefined => fields.find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (find('transfer-encoding') === 'chunked') return 'chunked';
  const length = find('content-length');
  return length === undefined ? 'close' : Number(length);
}

function readChunks(bytes: Buffer, start: number): Content | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (end > bytes.length) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), end };
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
