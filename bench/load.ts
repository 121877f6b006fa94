/** The load: many connections, each of which sends its next request when it has its answer. Which program makes it is not said here. */
import { token } from './service.ts';

export interface Load {
  readonly port: number;
  /** A file of requests, one a line, sent in order and from the start again: a body for POST /plants, which begins with `{`, or the path of a GET. */
  readonly lines: string;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
}

export interface LoadResult {
  /** Requests that were answered, well or badly. */
  readonly requests: number;
  /** Answers other than 2xx, and connections that broke. */
  readonly failures: number;
  /** Lines taken from the file: at most one more a connection, and one more in all, than answers. */
  readonly issued: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the generator itself. */
  readonly cpuSeconds: number;
}

export interface Generator {
  readonly name: string;
  readonly run: (load: Load) => Promise<LoadResult>;
}

/** The bytes of a request around its path or its body. */
export const requestParts = {
  getHead: 'GET ',
  getTail: ` HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  postHead: `POST /plants HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: `,
} as const;
