/** Helpers for imports and exports of a running service. request.ts checks every response. */
import assert from 'node:assert/strict';
import { request as requestHttp } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { errors } from '../../src/domain/error-registry.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { request, type RequestOptions, type Target } from './request.ts';
import type { Reply } from './reply.ts';

export const csv = 'text/csv';
export const ndjson = 'application/x-ndjson';

/** A report, with errors by their codes. */
export interface Report {
  readonly read: number;
  readonly created: number;
  readonly unchanged: number;
  readonly replaced: number;
  readonly skipped: number;
  readonly refused: number;
  readonly errors: readonly (readonly [line: number, code: ErrorCode | undefined])[];
}

/** Sends an import; accepts any response. */
export function sendImport(
  target: Target,
  type: string,
  body: NonNullable<RequestOptions['body']>,
  query = '',
): Promise<Reply> {
  return request(target, { path: `/plants/import${query}`, headers: { 'content-type': type }, body });
}

/** Sends an import and expects a report. Fails if a message does not match its error number. */
export async function importRows(
  target: Target,
  type: string,
  body: NonNullable<RequestOptions['body']>,
  query = '',
): Promise<Report> {
  const reply = await sendImport(target, type, body, query);
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
  const report = JSON.parse(reply.text) as Omit<Report, 'errors'> & { errors: RowError[] };
  return { ...report, errors: report.errors.map(({ line, error, message }) => [line, codeOf(error, message)]) };
}

interface RowError {
  readonly line: number;
  readonly error: number;
  readonly message: string;
}

function codeOf(number: number, message: string): ErrorCode | undefined {
  const [code, entry] = Object.entries(errors).find(([, each]) => each.number === number) ?? [];
  const isOurs = entry !== undefined && (message === entry.message || message.startsWith(`${entry.message}. `));
  assert.ok(isOurs, `${number} ${message}`);
  return code as ErrorCode | undefined;
}

/** Returns the content of an export, and its trailer fields, which request.ts omits. */
export async function exportPlants(
  target: Target,
  accept: string,
  query = '',
): Promise<{ readonly text: string; readonly trailers: IncomingHttpHeaders }> {
  const path = `/plants/export${query}`;
  const { text } = await request(target, { path, headers: { accept } });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders>();
  const headers = { accept, te: 'trailers', authorization: `Bearer ${target.token}` };
  requestHttp({ host: '127.0.0.1', port: target.port, path: target.basePath + path, headers }, (response) => {
    response.resume();
    response.on('end', () => resolve(response.trailers)).on('error', reject);
  })
    .on('error', reject)
    .end();
  return { text, trailers: await promise };
}
