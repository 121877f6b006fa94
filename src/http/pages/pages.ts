/** Built pages: a folder of files, read at the first request; no path leads elsewhere. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { isSystemError } from '../../system/system-error.ts';
import type { Reply } from '../wire/reply.ts';
import {
  chooseRepresentation,
  type Contents,
  type Representations,
  toRepresentations,
} from '../wire/representations.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Scripts, styles and requests only from the service itself (CSP Level 3); no forms, no frames. */
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

/** A name with a hash of the content, which never changes. */
const hashedPattern = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
/** One year: the maximum of caches (RFC 9111). */
const forever = 'public, max-age=31536000, immutable';

export interface PagesOptions {
  /** For a component that adds styles at run time. Scripts still come from the service only. */
  readonly allowsInlineStyles?: boolean;
  /** Metadata of `index.html`, by name; plain text. */
  readonly meta?: Readonly<Record<string, string>> | undefined;
}

export class Pages {
  /** Below the base path, without a trailing slash: `/console`. */
  readonly mount: string;
  readonly #folder: string;
  readonly #policy: string;
  readonly #head: string;
  #files: Promise<ReadonlyMap<string, Representations>> | undefined;

  /**
   * @param folder contains `index.html`, with links that begin with `./`, and its files. If it is
   * missing, nothing is found.
   */
  constructor(mount: string, folder: string, { allowsInlineStyles = false, meta = {} }: PagesOptions = {}) {
    this.#head = Object.entries(meta)
      .map(([name, content]) => `<meta name="${name}" content="${content}">`)
      .join('');
    this.mount = mount;
    this.#folder = folder;
    this.#policy = allowsInlineStyles
      ? pagePolicy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
      : pagePolicy;
  }

  /**
   * Resolves to the reply to GET and HEAD; undefined if there is no such file.
   * @param name after the mount: `''`, `/`, `/assets/x.js`.
   */
  async find(name: string, { headers }: IncomingMessage): Promise<Reply | undefined> {
    // After a failure, the next request reads again.
    this.#files ??= this.#read().catch((error: unknown) => {
      this.#files = undefined;
      throw error;
    });
    const files = await this.#files;
    if (files.size === 0) this.#files = undefined;
    const page = files.get(name);
    return page === undefined ? undefined : chooseRepresentation(page, headers);
  }

  async #read(): Promise<ReadonlyMap<string, Representations>> {
    const contents = new Map<string, Buffer>();
    for (const path of await listFiles(this.#folder)) contents.set(path, await readFile(join(this.#folder, path)));
    const files = new Map<string, Representations>();
    for (const path of new Set([...contents.keys()].map((each) => each.replace(/\.br$/, '')))) {
      const mediaType = mediaTypes[extname(path)];
      if (mediaType === undefined) continue;
      const [content, br] = [path, `${path}.br`].map((each) => contents.get(each));
      if (path === 'index.html' && content !== undefined) {
        // Relative links differ with and without a trailing slash.
        const text = content.toString('utf8').replace('</head>', `${this.#head}</head>`);
        const folder = this.mount.slice(this.mount.lastIndexOf('/') + 1);
        files.set('', this.#toIndex(text.replaceAll(/(?<=(?:src|href)=")\.\//g, `./${folder}/`)));
        files.set('/', this.#toIndex(text));
      } else {
        const caching = hashedPattern.test(path) ? forever : 'no-cache';
        files.set(`/${path}`, toPage({ content, br }, { 'content-type': mediaType, 'cache-control': caching }));
      }
    }
    return files;
  }

  #toIndex(text: string): Representations {
    const content = Buffer.from(text);
    return toPage(
      { content, br: brotliCompressSync(content) },
      {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': this.#policy,
      },
    );
  }
}

/** Returns relative paths with slashes; none if the folder is missing. */
async function listFiles(folder: string): Promise<string[]> {
  try {
    // Entries with types lack their folder in an archive of Yarn's Plug'n'Play.
    const names = await readdir(folder, { recursive: true });
    const entries = await Promise.all(names.map((name) => lstat(join(folder, name))));
    return names.filter((_, at) => entries[at]?.isFile()).map((name) => name.replaceAll('\\', '/'));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

function toPage(contents: Contents, headers: Readonly<Record<string, string>>): Representations {
  return toRepresentations(contents, { ...pageHeaders, ...headers });
}
