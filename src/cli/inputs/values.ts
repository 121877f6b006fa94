/** Values on a command line: ids, entity tags, limits, formats, and the answer to a question. */
import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import type { RowFormat } from '../../client/client.ts';
import { UsageError } from '../../config/usage-error.ts';
import { describeInvalidInt64, parseInt64 } from '../../json/int64.ts';
import type { CommandContext } from '../command-context.ts';
import type { OptionText } from './add-command.ts';

/** What is shown of a value that cannot be used: a part, in quotes. */
const toShown = (text: string): string => JSON.stringify(text.slice(0, 80));

/** @throws UsageError if the text is not an id. */
export function parseId(text: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw new UsageError(toProblem(text));
  return id;
}

/** @throws UsageError with one line for each text that is not an id. */
export function parseIds(texts: readonly string[]): readonly bigint[] {
  const problems = texts.filter((text) => parseInt64(text) === undefined).map(toProblem);
  if (problems.length > 0) throw new UsageError(...problems);
  return texts.map(parseId);
}

function toProblem(text: string): string {
  return `Cannot use ID ${toShown(text)}: it ${describeInvalidInt64(text)}`;
}

/** `*`, or entity tags (RFC 9110, section 8.8.3). */
const entityTags = /^(?:\*|(?:W\/)?"[!#-~]*"(?:\s*,\s*(?:W\/)?"[!#-~]*")*)$/;

/** @throws UsageError for a value that no service takes, as when the shell removed the quotes. */
export function checkIfMatch(text: string | undefined): void {
  if (text === undefined || entityTags.test(text)) return;
  throw new UsageError(
    `Cannot use --if-match ${toShown(text)}: must be * or an ETag as "get" shows it, with its double quotes, such as '"u7yW3P1hYdY3pCBSRzZt1w"'`,
  );
}

/** Refuses `--tag` beside `--no-tag`, and any such pair, which the parser would not notice. */
export function refuseContradictions(command: Command): void {
  const given = new Set<string>();
  const negated = command.options.filter(({ negate }) => negate).map((option) => option.name());
  for (const name of negated)
    for (const each of [name, name.replace('no-', '')]) command.on(`option:${each}`, () => given.add(each));
  command.hook('preAction', () => {
    for (const name of negated) {
      const [flag, other] = [name.replace('no-', ''), name];
      if (given.has(flag) && given.has(other))
        throw new UsageError(`Cannot ${command.name()} plant: --${flag} and --${other} exclude each other`);
    }
  });
}

/** Which plants, as the options below give it. */
export interface FilterFlags {
  readonly tag?: string;
  readonly untagged?: true;
  readonly name?: string;
  readonly search?: string;
}

/** What `--search` finds. */
export const searchRule =
  'with each of these in the name or tag: 3 or more characters anywhere in a word, fewer at its beginning';

export const filterOptions: readonly OptionText[] = [
  ['--tag <tag>', 'Only plants with exactly this tag; "" is the empty tag'],
  ['--untagged', 'Only plants without a tag'],
  ['--name <words>', 'Only plants whose name has a word that begins with each of these'],
  ['--search <words>', `Only plants ${searchRule}`],
];

/** For more than this, use an export. */
const limitMax = 100_000;
/** Maximum of one page, as the description says. */
const pageSizeMax = 1_000;

/** @param what is counted. */
export function toLimitOption(what: string): Option {
  return new Option('--limit <number>', `Maximum number of ${what}, 1 to ${limitMax}`).default('100', '100');
}

/** @throws UsageError for anything but a number in range. */
export function readLimit(text: string): number {
  const limit = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Infinity;
  if (limit <= limitMax) return limit;
  throw new UsageError(`Cannot use --limit ${toShown(text)}: must be an integer from 1 to ${limitMax}`);
}

/**
 * Resolves to the first items, and to whether there are more.
 * @param list called with the size of a page.
 */
export async function takeUpTo<Item>(
  limit: number,
  list: (pageSize: number) => AsyncIterable<Item>,
): Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }> {
  const items: Item[] = [];
  for await (const item of list(Math.min(limit + 1, pageSizeMax))) {
    if (items.length === limit) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}

const formats: Readonly<Record<string, RowFormat>> = {
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
};

export function toFormatOption(help: string): Option {
  return new Option('--format <format>', help).choices(['ndjson', 'csv']);
}

/** @throws UsageError when neither of the two names a format. */
export function toRowFormat(format: string | undefined, file: string): RowFormat {
  const name = format ?? /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase();
  const found = formats[name ?? ''];
  if (found === undefined)
    throw new UsageError(
      `Cannot tell the format of ${file === '-' ? 'standard input' : file}: give --format ndjson or csv`,
    );
  return found;
}

export interface ConfirmFlags {
  readonly yes?: boolean;
}

export const yesOption: OptionText = ['-y, --yes', 'Do not ask for confirmation; required in scripts'];

/**
 * Resolves if the user agrees.
 * @throws UsageError when standard input is not a terminal; Error when the answer is not yes.
 */
export async function confirm(question: string, { yes = false }: ConfirmFlags, context: CommandContext): Promise<void> {
  if (yes) return;
  if (context.stdin.isTTY !== true)
    throw new UsageError(`Cannot ask for confirmation: standard input is not a terminal. ${question} Add --yes`);
  context.stderr.write(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test((await readLine(context.stdin)).trim())) throw new Error('Cancelled: nothing was changed');
}

function readLine(input: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input });
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(''));
  });
}
