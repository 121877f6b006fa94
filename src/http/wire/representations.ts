/** Content in several codings, each with its own entity tag (RFC 9110, section 8.8.3.3). */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import { ServiceError } from '../../domain/errors.ts';
import { notModified, type Reply } from './reply.ts';

/** Content codings in the order of preference. */
const codings = ['br', 'gzip'] as const;
type Coding = (typeof codings)[number];

/** Content in one coding, or a function to get it. */
interface Representation {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: () => Promise<Buffer> | Buffer;
}

export type Representations = Readonly<Record<Coding, Representation | undefined>> & {
  readonly identity: Representation;
};

export interface Contents {
  /** If absent, the content is stored with Brotli only; other forms are made on demand. */
  readonly content: Buffer | undefined;
  readonly br: Buffer | undefined;
  /** Default: if there is a form with Brotli. */
  readonly hasGzip?: boolean;
}

/** @param headers of each representation, beside ETag, Vary and Content-Encoding. */
export function toRepresentations(
  { content, br, hasGzip = br !== undefined }: Contents,
  headers: Readonly<Record<string, string>>,
): Representations {
  const hash = createHash('sha256')
    .update(content ?? br ?? '')
    .digest('base64url')
    .slice(0, 22);
  const represent = (body: Representation['content'], coding?: Coding): Representation => ({
    headers: {
      ...headers,
      vary: 'Accept-Encoding',
      etag: coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`,
      ...(coding === undefined ? {} : { 'content-encoding': coding }),
    },
    content: body,
  });
  const inflate = async (): Promise<Buffer> => content ?? (await promisify(brotliDecompress)(br ?? ''));
  return {
    identity: represent(once(inflate)),
    br: br === undefined ? undefined : represent(() => br, 'br'),
    gzip: hasGzip
      ? represent(
          once(async () => promisify(gzip)(await inflate())),
          'gzip',
        )
      : undefined,
  };
}

/**
 * Resolves to the reply to GET and HEAD.
 * @throws ServiceError `condition_not_met`.
 */
export async function chooseRepresentation(
  representations: Representations,
  headers: IncomingHttpHeaders,
): Promise<Reply> {
  const accepted = acceptedCodings(headers['accept-encoding']);
  const coding = codings.find((each) => representations[each] !== undefined && accepted.has(each));
  const { headers: fields, content } = representations[coding ?? 'identity'] ?? representations.identity;
  const { etag = '', 'content-type': _type, 'content-encoding': _coding, ...others } = fields;
  // A weak tag matches no strong one (RFC 9110, section 13.1.1).
  if (headers['if-match'] !== undefined && !isNamed(etag, headers['if-match'].replaceAll('W/', 'weak')))
    throw new ServiceError('condition_not_met');
  if (isNamed(etag, headers['if-none-match'])) return notModified({ ...others, etag });
  return { status: 200, headers: fields, body: await content() };
}

/** Caches the result: a copy of megabytes for each client would take much memory and time. */
function once(make: () => Promise<Buffer>): () => Promise<Buffer> {
  let made: Promise<Buffer> | undefined;
  return () => (made ??= make());
}

/** Returns whether If-None-Match names the version (RFC 9110, section 13.1.2: weak comparison). */
function isNamed(etag: string, field: string | undefined): boolean {
  if (field === undefined) return false;
  return field.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag);
}

/** Returns the codings in Accept-Encoding, except those with weight 0. */
function acceptedCodings(field: string | string[] | undefined): ReadonlySet<string> {
  const named = String(field ?? '')
    .split(',')
    .map((part) => part.split(';').map((each) => each.trim().toLowerCase()));
  return new Set(named.filter(([, weight = '']) => !/^q=0(?:\.0*)?$/.test(weight)).map(([name = '']) => name));
}
