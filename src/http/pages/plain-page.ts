/** A page of text and links without scripts, in the look of the others: the start page, and errors. */
import { type Reply, securityHeaders } from '../wire/reply.ts';

/** Allows the service's own style sheet and icon, and no scripts. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface PlainPage {
  readonly title: string;
  /** Address of the root, relative to the page: '' or `../`. */
  readonly root: string;
  /** HTML, below the title. */
  readonly lead: string;
  /** What the console is to show, as the query of its address, and in words. */
  readonly console?: readonly [query: string, words: string] | undefined;
  /** HTML, below the links to the other pages. */
  readonly rest: string;
}

/** Header fields of the page, in addition to the usual ones. */
export const plainPageHeaders = {
  ...securityHeaders,
  'content-security-policy': pagePolicy,
  'content-type': 'text/html; charset=utf-8',
} as const satisfies Reply['headers'];

const consoleStart = ['', 'Search, add and edit plants in the browser.'] as const;

export function toPlainPage({ title, root, lead, console: [query, words] = consoleStart, rest }: PlainPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${toHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${root}docs/icon.svg">
<link rel="stylesheet" href="${root}docs/home.css">
<main>
<svg viewBox="0 0 32 32" width="56" height="56" aria-hidden="true">
<rect class="ground" width="32" height="32" rx="8"/><path class="stem" d="M16 26V14"/>
<path class="leaf" d="M16 17c0-5 3.4-8.4 9.5-8.6C25.7 14 22 17.3 16 17Z"/>
<path class="leaf-near" d="M16 21c0-4.2-3-7.2-9-7.4C6.8 18.5 10.5 21.3 16 21Z"/>
</svg>
<div>
<h1>${toHtml(title)}</h1>
${lead}
</div>
<ul class="ways">
<li><a href="${root}console${query}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 5h16v14H4zM4 10h16M9 10v9"/></svg>
<strong>Console</strong> ${words}</a>
<li><a href="${root}docs"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 4h9l4 4v12H6zM15 4v4h4M9 12h7M9 16h7"/></svg>
<strong>API documentation</strong> Read the reference and try each request.</a>
</ul>
${rest}
</main>
</html>
`;
}

/** Escapes text for HTML. */
export function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
