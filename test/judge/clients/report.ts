/** The tables of docs/clients.md: written by a run, which replaces the rows of the clients that it has judged and keeps the others. */
import type { Client } from './client.ts';
import { clients } from './clients.ts';
import type { Call, Verdict } from './judge-client.ts';
import { steps } from './steps.ts';

/** By the name of the client; a text says why it could not be judged. */
export type Verdicts = ReadonlyMap<string, Verdict | string>;

const stepNames = Object.keys(steps);
const heads: readonly (readonly string[])[] = [
  ['client', 'version', 'what to set', 'operations that it lacks'],
  ['client', ...stepNames],
  ['client', 'calls', 'what the first of them does', 'way out'],
];
const begin = '<!-- Written by npm run judge:clients. -->\n';
const end = '\n<!-- End. -->';
const words = { ok: 'yes', other: 'note', lost: 'lost' };

/** Returns the page with the rows of the verdicts. */
export function writeTables(page: string, verdicts: Verdicts): string {
  const from = page.indexOf(begin) + begin.length;
  const until = page.indexOf(end);
  if (from < begin.length || until < from) throw new Error('The page has no place for the tables');
  const old = readTables(page);
  const tables = heads.map((head, index) => {
    const rows = Object.entries(clients).flatMap(([name, client]) => {
      const verdict = verdicts.get(name);
      const title = toTitle(client);
      if (verdict === undefined) return (old[index] ?? []).slice(1).filter(([first]) => first === title);
      return toRows(client, verdict)[index] ?? [];
    });
    return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  });
  return `${page.slice(0, from)}\n${tables.join('\n\n')}\n${page.slice(until)}`;
}

/** The rows of each table, its head first. */
export function readTables(page: string): string[][][] {
  const text = page.slice(page.indexOf(begin), page.indexOf(end));
  return [...text.matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) =>
    table
      .trimEnd()
      .split('\n')
      .map((line) =>
        line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      )
      .filter((cells) => !/^-+$/.test(cells[0] ?? '')),
  );
}

export function toTitle({ language, generator }: Client): string {
  return `${language}, ${generator}`;
}

/** The rows of the client in each table. */
function toRows(client: Client, verdict: Verdict | string): string[][][] {
  const title = toTitle(client);
  const about = [title, client.version, client.settings];
  if (typeof verdict === 'string') return [[[...about, toCell(verdict)]], [[title, ...stepNames.map(() => '-')]], []];
  const { missing, calls } = verdict;
  const notes = Object.entries(calls).filter(([, { outcome }]) => outcome !== 'ok');
  return [
    [[...about, missing.length === 0 ? 'none' : missing.join(', ')]],
    [[title, ...stepNames.map((name) => words[calls[name]?.outcome ?? 'lost'])]],
    toNotes(client, notes).map((cells) => [title, ...cells]),
  ];
}

/** Makes one row for all calls with the same workaround. */
function toNotes({ issues = {} }: Client, calls: readonly (readonly [string, Call])[]): string[][] {
  const groups = Map.groupBy(calls, ([name, { outcome, other }]) => [outcome, other, issues[name]].join());
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const [name, { plain, other }] = first;
    const issue = issues[name];
    const report = issue === undefined ? '' : ` ([reported](${issue}))`;
    const names = [name, ...others.map(([each]) => each)];
    return [[names.join(', '), toCode(plain) + report, other === '' ? 'none' : other]];
  });
}

/** Cuts a text to one short line. */
function toCell(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function toCode(text: string): string {
  return `\`${toCell(text.replaceAll('`', "'"))}\``;
}
