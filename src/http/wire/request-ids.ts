/** The ids of a request: its own, and that of the trace that it belongs to. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TraceParent } from '../../observe/traces.ts';

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
