/**
 * What header fields say, beside what Node reads of them: Accept, Prefer, the id of a request and
 * the trace that it belongs to. Fields of one step are read there.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TraceParent } from '../../observe/traces.ts';

/**
 * Returns how often a field occurs: Node keeps only the first of some repeated ones. `name` is in
 * lower case; `rawHeaders` has names and values.
 */
export function countField(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index] ?? '';
    if (each.length === name.length && each.toLowerCase() === name) count += 1;
  }
  return count;
}

/** What is taken from a client: nothing that a log or a header field could misread. */
const idPattern = /^[A-Za-z0-9._-]{1,128}$/;
/** Random for each process: ids of several instances, and after a restart, differ. */
const prefix = randomBytes(9).toString('base64url');
let count = 0;

/** Returns the id that the client sent, or a new one. */
export function toRequestId(sent: unknown): string {
  if (typeof sent === 'string' && idPattern.test(sent)) return sent;
  count += 1;
  return `${prefix}.${count}`;
}

/**
 * w3.org/TR/trace-context, section 3.2: trace id, parent id, flags. Later versions than 00 begin
 * alike, and may have more after a dash; ff is none.
 */
const tracePattern = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Returns what `traceparent` says; undefined if the field is missing or malformed. */
export function parseTraceParent({ headers: { traceparent } }: IncomingMessage): TraceParent | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId, flags] = tracePattern.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: parseInt(flags, 16) };
}

/**
 * Returns the media type that a client prefers by its Accept field (RFC 9110, section 12.5.1): the one
 * with the best rank, the first of equals; undefined: all are excluded.
 */
export function preferredType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept === '*/*' || offered.length === 0) return offered[0] ?? '';
  const ranges = accept
    .split(',')
    .filter((each) => each.trim() !== '')
    .map(toRange);
  // A field without ranges excludes nothing.
  if (ranges.length === 0) return offered[0];
  let best: string | undefined;
  let bestRank: readonly [number, number] = [0, 0];
  for (const type of offered) {
    const rank = rankOf(type, ranges);
    // An explicit type beats a wildcard of the same quality.
    if (rank[0] > bestRank[0] || (rank[0] === bestRank[0] && rank[0] > 0 && rank[1] > bestRank[1])) {
      [best, bestRank] = [type, rank];
    }
  }
  return best;
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((each) => each.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** Returns quality and precision of the most precise matching range. */
function rankOf(type: string, ranges: readonly Range[]): readonly [quality: number, precision: number] {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const [precision, wanted] of [
    [2, type],
    [1, group],
    [0, '*/*'],
  ] as const) {
    const fitting = ranges.filter((range) => range.type === wanted);
    if (fitting.length > 0) return [Math.max(...fitting.map((range) => range.quality)), precision];
  }
  return [0, 0];
}

/** Lists split at commas outside of quotes. A quote that does not end takes the rest. */
const elements = /(?:"(?:[^"\\]|\\.)*"?|[^",])+/g;
/** A name, perhaps a value, and parameters, which no preference of ours has. */
const preference =
  /^[ \t]*([!#$%&'*+.^`|~\w-]+)[ \t]*(?:=[ \t]*(?:([!#$%&'*+.^`|~\w-]+)|"((?:[^"\\]|\\.)*)")?[ \t]*)?(?:;|$)/;

/**
 * Returns values by name in lower case; `''` if absent. The first of equal names counts. Ignores
 * malformed elements. Node joins several fields with commas.
 */
export function readPreferences(field: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [element] of field.matchAll(elements)) {
    const [, name, token, quoted] = preference.exec(element) ?? [];
    if (name === undefined || found.has(name.toLowerCase())) continue;
    found.set(name.toLowerCase(), token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '');
  }
  return found;
}
