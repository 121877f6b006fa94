/**
 * Checks pages and their files against the rules for pages; they are not operations of
 * openapi.yaml. Refusals at such paths are checked by check-answer.ts.
 */

export interface PageAnswer {
  /** The target of the request, as sent: with base path and query. */
  readonly path: string;
  readonly basePath: string;
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Below the base path. */
const mounts = ['/docs', '/console'];

/** Returns whether the response is a page or a file of one. */
export function isPage({ path, basePath, status }: PageAnswer): boolean {
  const bare = path.replace(/\?.*$/s, '').slice(basePath.length);
  const isBelow = path.startsWith(basePath) && mounts.some((mount) => bare === mount || bare.startsWith(`${mount}/`));
  return isBelow && (status === 200 || status === 304);
}

/** Returns one line per violation. */
export function checkPage({ path, status, headers }: PageAnswer): string[] {
  const violations = checkPolicy(headers['content-security-policy']);
  if (!/^(?:no-cache|public, max-age=31536000, immutable)$/.test(headers['cache-control'] ?? ''))
    violations.push('Cache-Control is missing or wrong');
  if (!/^"[!-~]+"$/.test(headers['etag'] ?? '')) violations.push('it has no ETag');
  if (headers['vary'] !== 'Accept-Encoding') violations.push('Vary does not name Accept-Encoding');
  return violations.map((violation) => `${path} answered ${status}: ${violation}`);
}

/** Checks a page's policy: nothing by default, no foreign or inline scripts, no framing. */
export function checkPolicy(policy = ''): string[] {
  const directives = new Map(policy.split(';').map((part) => toDirective(part.trim())));
  const violations: string[] = [];
  for (const name of ['default-src', 'frame-ancestors', 'base-uri', 'form-action'])
    if (directives.get(name) !== "'none'") violations.push(`its CSP must have ${name} 'none'`);
  for (const [name, sources] of directives) {
    const allowed = name === 'style-src' ? /^'self'(?: 'unsafe-inline')?$/ : /^'(?:none|self)'(?: (?:data|blob):)*$/;
    if (!allowed.test(sources)) violations.push(`its CSP must not have ${name} ${sources}`);
  }
  return violations;
}

function toDirective(text: string): [name: string, sources: string] {
  const [name = '', ...sources] = text.split(' ');
  return [name, sources.join(' ')];
}
