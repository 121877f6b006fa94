/** Programs that tests run and that not every system has. */
import { spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { skipLoudly } from './skip-loudly.ts';

/** The package of each in Debian. `.ci/run` installs them; has-tool.test.ts compares both. */
export const packageOf = {
  caddy: 'caddy',
  curl: 'curl',
  'docker-compose': 'docker-compose',
  faketime: 'faketime',
  'firefox-esr': 'firefox-esr',
  haproxy: 'haproxy',
  nginx: 'nginx',
  openssl: 'openssl',
  pdftotext: 'poppler-utils',
  pgbouncer: 'pgbouncer',
  promtool: 'prometheus',
  python3: 'python3',
  strace: 'strace',
  'systemd-analyze': 'systemd',
  tcsh: 'tcsh',
  zsh: 'zsh',
} as const;

export type Tool = keyof typeof packageOf;

/** False, and the test skipped, where one of the programs is not installed: the caller must return. */
export function hasTool(t: TestContext, ...tools: readonly Tool[]): boolean {
  const missing = tools.find((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
  if (missing === undefined) return true;
  skipLoudly(t, `${missing} is not installed (Debian: ${packageOf[missing]})`);
  return false;
}
