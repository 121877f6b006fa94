/** The order of errors: a request with several errors gets the first of the documented list. Other files test each error. */
import { after, before, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { nextId } from '../support/plants.ts';
import { postPlant, request } from '../support/request.ts';
import type { RequestOptions, Target } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';

const service = await startService({ after });
const limited = await startService({ after }, { env: { PLANT_STORE_RATE_LIMIT: '1/h' } });
const takenId = nextId();

interface Draft extends RequestOptions {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
  readonly isLimited?: boolean;
}

interface Violation {
  readonly code: ErrorCode;
  /** Errors of one aspect exclude each other. */
  readonly aspect: 'path' | 'method' | 'token' | 'rate' | 'expect' | 'type' | 'coding' | 'accept' | 'body';
  readonly change: (draft: Draft) => Draft;
}

const bad = 'Bearer bad';
function withField(name: string, value: string | readonly string[]): Violation['change'] {
  return (draft) => ({ ...draft, headers: { ...draft.headers, [name]: value } });
}
function withBody(body: string): Violation['change'] {
  return (draft) => ({ ...draft, body });
}

/** Stands for the token without the scope; each service has its own. */
const reader = 'reader';
const readers = new Map<Target, string>();

/** In the documented order. */
const violations: readonly Violation[] = [
  { code: 'path_unknown', aspect: 'path', change: (draft) => ({ ...draft, path: '/nothing' }) },
  { code: 'method_not_allowed', aspect: 'method', change: (draft) => ({ ...draft, method: 'PATCH' }) },
  { code: 'credentials_misplaced', aspect: 'token', change: withField('authorization', [bad, bad]) },
  { code: 'token_missing', aspect: 'token', change: (draft) => ({ ...draft, token: null }) },
  { code: 'token_invalid', aspect: 'token', change: withField('authorization', bad) },
  { code: 'scope_missing', aspect: 'token', change: (draft) => ({ ...draft, token: reader }) },
  { code: 'rate_limited', aspect: 'rate', change: (draft) => ({ ...draft, isLimited: true }) },
  { code: 'expectation_unsupported', aspect: 'expect', change: withField('expect', 'a miracle') },
  { code: 'media_type_unsupported', aspect: 'type', change: withField('content-type', 'text/plain') },
  { code: 'content_encoding_unsupported', aspect: 'coding', change: withField('content-encoding', 'gzip') },
  { code: 'not_acceptable', aspect: 'accept', change: withField('accept', 'text/html') },
  { code: 'body_too_large', aspect: 'body', change: withBody('{'.repeat(65_537)) },
  { code: 'json_malformed', aspect: 'body', change: withBody('{"name":7,}') },
  { code: 'plant_invalid', aspect: 'body', change: withBody(`{"id":${takenId},"name":7}`) },
  { code: 'plant_id_taken', aspect: 'body', change: withBody(`{"id":${takenId},"name":"other"}`) },
];

async function assertAnswered(chosen: readonly Violation[], code: ErrorCode): Promise<void> {
  const full: Draft = { path: '/plants', method: 'POST', headers: {}, body: `{"id":${nextId()},"name":"a"}` };
  const { isLimited = false, ...options } = chosen.reduce((draft, { change }) => change(draft), full);
  const target = isLimited ? limited : service;
  const token = options.token === reader ? readers.get(target) : options.token;
  const sent = token === undefined ? options : { ...options, token };
  assertError(await request(target, sent), code, chosen.map((violation) => violation.code).join(' + '));
}

describe('the order of errors', () => {
  before(async () => {
    for (const target of [service, limited]) {
      readers.set(target, (await createToken(target, ['plants:read'])).token);
      await postPlant(target, { id: takenId, name: 'first' });
    }
  });

  for (const [index, first] of violations.entries()) {
    it(`${first.code} precedes each later one`, async () => {
      await assertAnswered([first], first.code);
      const later = violations.slice(index + 1).filter(({ aspect }) => aspect !== first.aspect);
      for (const second of later) await assertAnswered([first, second], first.code);
    });
  }

  it('is correct when everything is wrong, and one error after another is fixed', async () => {
    const aspects = [...new Set(violations.map(({ aspect }) => aspect))];
    for (const [index, aspect] of aspects.entries()) {
      const rest = aspects.slice(index);
      const chosen = rest.flatMap((each) => violations.find((violation) => violation.aspect === each) ?? []);
      await assertAnswered(chosen, violations.find((violation) => violation.aspect === aspect)?.code ?? 'internal');
    }
  });
});
