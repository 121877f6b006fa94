/** Builds the documentation page into console/dist-docs: our page and script and the component's, named by content hash and compressed. */
import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import apiReference from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { build } from 'vite';
import { toHtml } from '../src/http/pages/plain-page.ts';
import { compressFolder } from './compress-folder.ts';
import { toPageConfig } from './page-config.ts';

const root = join(import.meta.dirname, '..');
const source = join(root, 'console', 'docs');
const folder = join(root, 'console', 'dist-docs');
/** The highest quality would save a tenth of the component's 4 MB and take fifteen seconds. */
const brotliQuality = 9;

/** Resolves to the compressed size of the JavaScript, in bytes. */
export async function buildDocs(): Promise<number> {
  const options = {
    input: { index: join(source, 'index.html'), home: join(source, 'home.css') },
    // The service renders the root page and refers to the style sheet by this name.
    output: {
      assetFileNames: ({ names }: { names: string[] }) =>
        names.includes('home.css') ? 'home.css' : 'assets/[name]-[hash][extname]',
    },
  };
  await build(toPageConfig(source, folder, options));
  await copyFile(join(root, 'console', 'icon.svg'), join(folder, 'icon.svg'));
  const script = await readComponent();
  const name = `assets/reference-${createHash('sha256').update(script).digest('base64url').slice(0, 8)}.js`;
  await writeFile(join(folder, name), script);
  const pagePath = join(folder, 'index.html');
  const page = await readFile(pagePath, 'utf8');
  const outline = toOutline(JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8')) as Description);
  await writeFile(
    pagePath,
    page
      // After our own script, which prepares the page; both are deferred.
      .replace('</head>', `  <script defer src="./${name}"></script>\n  </head>`)
      .replace('<main class="outline"></main>', `<main class="outline">${outline}</main>`),
  );
  return compressFolder(folder, brotliQuality);
}

interface Description {
  readonly info: { readonly title: string; readonly summary: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>;
}

/** Shown before the component has started, and without JavaScript: a summary and the operations. */
function toOutline({ info, paths }: Description): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { summary }]) =>
      summary === undefined ? [] : [`<li>${toHtml(summary)} <code>${method.toUpperCase()} ${toHtml(path)}</code></li>`],
    ),
  );
  // "./" is the folder of the page with and without a slash at the end of its address (src/http/pages/pages.ts).
  const links = ['openapi.yaml', 'openapi.json', 'sample/openapi.json'].map(
    (path) => `<a href="./../${path}">${path}</a>`,
  );
  return `<h1>${toHtml(info.title)}</h1><p>${toHtml(info.summary)}</p><ul>${operations.join('')}</ul><p>${links.join(', ')}</p>`;
}

/** Returns the component's script, from the plugin that would serve it. */
export async function readComponent(): Promise<Uint8Array> {
  const server = fastify();
  await server.register(apiReference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, rawPayload } = await server.inject('/docs/js/scalar.js');
  await server.close();
  if (statusCode !== 200) throw new Error(`Cannot build documentation: its component has no script (${statusCode})`);
  return rawPayload;
}
