/** The load: many connections, each sending its next request after the response. */
import { token } from './service.ts';

export interface Load {
  readonly port: number;
  /**
   * A file with one request per line, sent in order and repeatedly: a body for POST /plants,
   * starting with `{`, or the path of a GET.
   */
  readonly lines: string;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
}

export interface LoadResult {
  /** Requests that got a response of any status. */
  readonly requests: number;
  /** Responses other than 2xx, and broken connections. */
  readonly failures: number;
  /** Lines taken from the file: exceeds the responses by at most one per connection, plus one. */
  readonly issued: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the generator itself. */
  readonly cpuSeconds: number;
}

export interface Generator {
  readonly name: string;
  readonly run: (load: Load) => Promise<LoadResult>;
}

/** The bytes of a request around its path or body. */
export const requestParts = {
  getHead: 'GET ',
  getTail: ` HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  postHead: `POST /plants HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: `,
} as const;
