/** Runs tables of hostile bytes against a service: each case has one expected response and end, and does no harm. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertServes } from '../support/plants.ts';
import type { Target } from '../support/request.ts';
import { type RawOptions, readRequestLine, sendRaw } from './connection.ts';
import type { Service } from '../support/service-run.ts';
import { live } from './bytes.ts';

export interface Case {
  readonly name: string;
  /** An array is sent one packet per element. */
  readonly bytes: string | Uint8Array | readonly (string | Uint8Array)[];
  /** The request in the bytes, if its first line is not as openapi.yaml writes it. */
  readonly asks?: { readonly method: string; readonly path: string };
  readonly expected: 200 | ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the service closes the connection; otherwise another request must succeed. */
  readonly isLast?: boolean;
}

/** Adds one test per case. */
export function testCases(target: Target, cases: readonly Case[]): void {
  for (const each of cases) {
    it(`answers ${each.expected} to ${each.name}${each.isLast === true ? ', and closes' : ''}`, async () => {
      await assertCase(target, each);
      await assertServes(target);
    });
  }
}

/** Asserts that the log has no error: bad input was never reported as an error of the service. */
export function assertQuiet({ logLines }: Pick<Service, 'logLines'>): void {
  const [first] = logLines.filter(({ level }) => level === 'error' || level === 'fatal');
  assert.equal(first, undefined);
}

async function assertCase(
  target: Target,
  { bytes, asks, expected, headers = {}, isLast = false }: Case,
): Promise<void> {
  const parts = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes;
  const asked = asks ?? readRequestLine(parts[0]);
  const options: RawOptions = isLast
    ? { requests: [asked], answers: Infinity }
    : { requests: [asked, { method: 'GET', path: '/livez' }] };
  const replies = await sendRaw(target, isLast ? parts : [...parts, live], options);
  const [reply, second] = replies;
  assert.equal(replies.length, isLast ? 1 : 2, 'number of answers');
  if (expected === 200) assert.equal(reply?.status, 200, reply?.text ?? 'no answer');
  else assertError(reply, expected);
  for (const [name, value] of Object.entries(headers)) assert.equal(reply?.headers[name], value, name);
  if (isLast) assert.equal(reply?.headers['connection'], 'close');
  else assert.equal(second?.status, 200);
}
