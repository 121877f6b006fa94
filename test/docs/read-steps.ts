/** Reads the commands of a page and the output that it shows for them. run-steps.ts runs them. */

/** A fenced block of commands, or a point where the reader stops the service. */
export type Step =
  | {
      readonly kind: 'run';
      /** Line of the page on which the block begins. */
      readonly line: number;
      readonly commands: string;
      /** Expected exit code: `sh exit=3` after the fence; default 0. */
      readonly exitCode: number;
      /** The `text` block that follows directly; undefined if there is none. `…` matches anything but a line ending. */
      readonly shown: string | undefined;
    }
  | { readonly kind: 'stop'; readonly line: number };

/** @throws Error for a fence that is never closed. */
export function readSteps(page: string): Step[] {
  const steps: Step[] = [];
  const lines = page.split('\n');
  let follows = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = /^```(\w+)(?: exit=(\d+))?$/.exec(line);
    if (fence === null) {
      if (line.trim() !== '') follows = false;
      // Every page uses these words.
      if (/\bPress Ctrl-C\b/.test(line)) steps.push({ kind: 'stop', line: at + 1 });
      continue;
    }
    const end = lines.indexOf('```', at);
    if (end === -1) throw new Error(`The block of line ${at + 1} has no end`);
    const text = lines.slice(at + 1, end).join('\n');
    const [, language, exitCode = '0'] = fence;
    const last = steps.at(-1);
    if (language === 'sh') {
      steps.push({ kind: 'run', line: at + 1, commands: text, exitCode: Number(exitCode), shown: undefined });
    } else if (language === 'text' && follows && last?.kind === 'run') {
      steps.splice(-1, 1, { ...last, shown: text });
    }
    follows = language === 'sh';
    at = end;
  }
  return steps;
}

/** A pattern for output that the page shows. */
export function toPattern(shown: string): RegExp {
  const escaped = shown.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+');
  return new RegExp(`^${escaped}$`);
}
