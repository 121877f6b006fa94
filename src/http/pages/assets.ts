/**
 * Built pages for people: a folder of files, read into memory at the first request and served as they are. Only files that were found then can be
 * asked for, so that no path leads elsewhere. What the pages do is not known here.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Answer, notModified } from '../wire/reply.ts';

/** Encodings in the order of preference, with the ending of the files that hold them. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Nothing but what the service itself serves may run, be shown or be asked (CSP Level 3); a page sends no forms and is framed by nobody. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const pageHeaders = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** A name with a hash of the content in it: another content has another name. */
const hashedPattern = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
/** One year: the most that caches believe (RFC 9111). */
const forever = 'public, max-age=31536000, immutable';

interface Asset {
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly content: Buffer;
  /** By the name of the encoding. */
  readonly encoded: ReadonlyMap<string, Buffer>;
}

export interface AssetsOptions {
  /** For a component that styles itself as it runs. Scripts stay those of the service in any case. */
  readonly allowsInlineStyles?: boolean;
}

export class Assets {
  /** Below the base path, without a slash at its end: `/console`. */
  readonly mount: string;
  readonly #folder: string;
  readonly #policy: string;
  #files: Promise<ReadonlyMap<string, Asset>> | undefined;

  /** @param folder holds `index.html`, whose links begin with `./`, and what it links to. It may be missing: then nothing is found. */
  constructor(mount: string, folder: string, { allowsInlineStyles = false }: AssetsOptions = {}) {
    this.mount = mount;
    this.#folder = folder;
    this.#policy = allowsInlineStyles
      ? pagePolicy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
      : pagePolicy;
  }

  /** Resolves to the answer of GET and HEAD; undefined when there is no such file. @param name behind the mount: `''`, `/`, `/assets/x.js`. */
  async find(name: string, { headers }: IncomingMessage): Promise<Answer | undefined> {
    this.#files ??= this.#read();
    const files = await this.#files;
    if (files.size === 0) this.#files = undefined;
    const asset = files.get(name);
    if (asset === undefined) return undefined;
    const { etag } = asset;
    if (isNamed(etag, headers['if-none-match'])) return notModified({ ...asset.headers, etag });
    const encoding = encodings.find(({ name: each }) => accepts(each, headers['accept-encoding']));
    const encoded = encoding === undefined ? undefined : asset.encoded.get(encoding.name);
    if (encoding === undefined || encoded === undefined)
      return { status: 200, headers: { ...asset.headers, etag }, bytes: asset.content };
    return { status: 200, headers: { ...asset.headers, etag, 'content-encoding': encoding.name }, bytes: encoded };
  }

  async #read(): Promise<ReadonlyMap<string, Asset>> {
    const files = new Map<string, Asset>();
    for (const path of await listFiles(this.#folder)) {
      const mediaType = mediaTypes[extname(path)];
      if (mediaType === undefined) continue;
      const content = await readFile(join(this.#folder, path));
      if (path === 'index.html') {
        // With and without a slash at the end the page has another folder, and its relative links another beginning.
        const text = content.toString('utf8');
        const folder = this.mount.slice(this.mount.lastIndexOf('/') + 1);
        files.set('', toPage(text.replaceAll(/(?<=(?:src|href)=")\.\//g, `./${folder}/`), this.#policy));
        files.set('/', toPage(text, this.#policy));
      } else {
        files.set(`/${path}`, toAsset(path, mediaType, content, await readEncoded(this.#folder, path)));
      }
    }
    return files;
  }
}

/** Relative paths with slashes; none when the folder is missing. */
async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        join(parentPath, name).slice(folder.length).replaceAll('\\', '/').replace(/^\/+/, ''),
      );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function readEncoded(folder: string, path: string): Promise<ReadonlyMap<string, Buffer>> {
  const encoded = new Map<string, Buffer>();
  for (const { name, ending } of encodings) {
    const content = await readFile(join(folder, path + ending)).catch(() => undefined);
    if (content !== undefined) encoded.set(name, content);
  }
  return encoded;
}

function toAsset(path: string, mediaType: string, content: Buffer, encoded: ReadonlyMap<string, Buffer>): Asset {
  return {
    headers: {
      ...pageHeaders,
      'content-type': mediaType,
      'cache-control': hashedPattern.test(path) ? forever : 'no-cache',
      vary: 'Accept-Encoding',
    },
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    content,
    encoded,
  };
}

function toPage(text: string, policy: string): Asset {
  const content = Buffer.from(text);
  const encoded = new Map([
    ['br', brotliCompressSync(content)],
    ['gzip', gzipSync(content)],
  ]);
  const asset = toAsset('index.html', 'text/html; charset=utf-8', content, encoded);
  return { ...asset, headers: { ...asset.headers, 'content-security-policy': policy } };
}

/** Whether If-None-Match names the version (RFC 9110, section 13.1.2: weakly compared). */
function isNamed(etag: string, field: string | undefined): boolean {
  if (field === undefined) return false;
  return field.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag);
}

/** Whether Accept-Encoding names the encoding, and not with the weight 0. */
function accepts(name: string, field: string | string[] | undefined): boolean {
  return String(field ?? '')
    .split(',')
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
    .some(([each, weight]) => each === name && !/^q=0(?:\.0*)?$/.test(weight ?? ''));
}
