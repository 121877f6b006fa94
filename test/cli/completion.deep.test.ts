/** TAB in real shells, on a terminal: what is typed is completed, and never evaluated. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { hasTool } from '../support/has-tool.ts';
import { mainPath, runCli } from './run-cli.ts';

interface Shell {
  readonly command: string;
  /** Reads the script of the file; sets the prompt. */
  readonly start: (script: string) => string;
  /** Further lines. */
  readonly lines: typeof lines;
}

/** Ends a hang. */
const waitMs = 60_000;
const prompt = 'ready%';
const shells: Readonly<Record<string, Shell>> = {
  bash: {
    command: 'bash --noprofile --norc -i',
    start: (script) => `source '${script}'; PS1=rea'dy%'`,
    // Nothing to complete: the bell. By itself zsh replaces such words by their output.
    lines: [
      ['plant-store "$(touch ran)"', '\u0007'],
      ['plant-store `touch ran` li', '\u0007'],
    ],
  },
  zsh: {
    command: 'zsh -f -i',
    start: (script) => `autoload -Uz compinit; compinit -u -D; source '${script}'; unsetopt prompt_cr; PS1=rea'dy%%'`,
    lines: [],
  },
};

/** A line as typed, and a part of it that only TAB can have made. */
const lines: readonly (readonly [typed: string, completed: string])[] = [
  ['plant-store list > kept.csv --ta', '--tag '],
  ['plant-store list >> kept.csv --ta', '--tag '],
  ['plant-store "$(touch ran)" li', ' list '],
  ['plant-store $(touch ran) li', ' list '],
  ['plant-store <(touch ran) li', ' list '],
  ['plant-store import --on-conflict=s', '=skip '],
  ['plant-store import ke', ' kept.csv '],
  ['plant-store token re', ' revoke '],
];

async function openShell(t: TestContext, { command, start }: Shell, script: string, folder: string) {
  const bin = await makeFolder(t);
  writeFileSync(join(bin, 'plant-store'), `#!/bin/sh\nexec '${process.execPath}' '${mainPath}' "$@"\n`);
  chmodSync(join(bin, 'plant-store'), 0o755);
  const child = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: bin, TERM: 'dumb', LANG: 'C.UTF-8' },
    // The shell inherits the last pipe, and so `close` comes after its end too: until then it writes its history into HOME.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  for (const unread of [child.stderr, child.stdio[3] as Readable]) unread.resume();
  const closed = once(child, 'close');
  cleanUp(t, async () => {
    child.kill('SIGKILL');
    await closed;
  });
  let shown = '';
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
  /** Types the text; resolves once the terminal has shown the other one after it. */
  const type = async (text: string, wanted: string): Promise<void> => {
    shown = '';
    child.stdin.write(text);
    const endAt = performance.now() + waitMs;
    while (!shown.includes(wanted)) {
      assert.ok(child.exitCode === null && performance.now() < endAt, `${text} shows ${JSON.stringify(shown)}`);
      await sleep(20);
    }
  };
  await type(`${start(script)}\n`, prompt);
  return type;
}

describe('plant-store completion', () => {
  for (const [name, shell] of Object.entries(shells)) {
    it(`completes in ${name}, and evaluates nothing of the line`, async (t) => {
      if (name === 'zsh' && !hasTool(t, 'zsh')) return;
      const folder = await makeFolder(t);
      const script = join(await makeFolder(t), 'completion');
      writeFileSync(script, (await runCli(['completion', name])).stdout);
      const kept = join(folder, 'kept.csv');
      writeFileSync(kept, 'kept');
      const type = await openShell(t, shell, script, folder);
      for (const [typed, completed] of [...lines, ...shell.lines]) {
        await type(`${typed}\t`, completed);
        // Ctrl-U and Enter: zsh loses a Ctrl-C that comes before it waits for keys again.
        await type('\u0015\n', prompt);
        assert.deepEqual([readdirSync(folder), readFileSync(kept, 'utf8')], [['kept.csv'], 'kept'], typed);
      }
    });
  }
});
