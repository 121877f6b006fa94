/** The mutator of orval: sends each request, with exact ids if asked to. The driver sets `isExact`. */
import { authorization, parse, url } from './loop.js';

export const mode = { isExact: false };

export async function fetcher<Result>(path: string, options: RequestInit): Promise<Result> {
  const headers = new Headers(options.headers);
  headers.set('authorization', authorization);
  // The generated code makes JSON of each body.
  const isText = mode.isExact && ['text/csv', 'application/x-ndjson'].includes(headers.get('content-type') ?? '');
  const body = isText ? (JSON.parse(String(options.body)) as string) : options.body;
  const response = await fetch(url + path, { ...options, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const data = !isJson ? text : mode.isExact ? parse(text) : (JSON.parse(text) as unknown);
  return { data, status: response.status, headers: response.headers } as Result;
}
