/** Which column of a CSV file is what: guessed from its headings and its first row, changed by the person. Without a browser. */
import { parseInt64, plantFields } from '../../../src/client/client.ts';
import type { Encoding } from './inspect-file.ts';

export interface CsvPlan {
  readonly encoding: Encoding;
  /** Whether the first row names the columns; if not, it is a plant. */
  readonly hasHeadings: boolean;
  /** Columns, from 0. `new`: the plants get new ids. */
  readonly id: number | 'new';
  readonly name: number;
  readonly tag: number | 'none';
  readonly firstId: bigint;
  /** The separator of cells, if it is not the first one in the file. */
  readonly separator?: string | undefined;
  /** The lines of the first row that is imported, and of the first one at the end that is not. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** Whether 000123 or 12.345 are ids, as spreadsheets show them; otherwise the row is refused. */
  readonly repairsIds?: boolean;
  readonly skipsUnnamed?: boolean;
  /** What is written in place of some tags. */
  readonly tags?: ReadonlyMap<string, string> | undefined;
}

export type Cells = readonly string[];

export const quoteCell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Usual headings, without capitals, accents and anything but letters and digits. */
const headings = {
  id: '(?:art|article|artikel|item|plant)?(?:id|no|nr|num|number|nummer|numero)|code|sku|ean|gtin',
  name: '(?:plant)?name|plant|title|(?:artikel)?bezeichnung|artikel|pflanze|description|beschreibung|nom|nombre|nome|naam|item|produ[ck]t',
  tag: 'tags?|[ck]ategor(?:y|ie|ia)|group|(?:waren)?gruppe|type?|label|schlagwort',
} as const;

const isHeading = (kind: keyof typeof headings, cell: string): boolean =>
  new RegExp(`^(?:${headings[kind]})$`).test(
    cell
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, ''),
  );

const find = (first: Cells, kind: keyof typeof headings): number => {
  const exact = first.findIndex((cell) => cell.trim().toLowerCase() === kind);
  return exact >= 0 ? exact : first.findIndex((cell) => isHeading(kind, cell));
};

export function countHeadings(cells: Cells): number {
  return (['id', 'name', 'tag'] as const).filter((kind) => find(cells, kind) >= 0).length;
}

export function guessPlan(first: Cells, encoding: Encoding, firstId: bigint): CsvPlan {
  const found = { id: find(first, 'id'), name: find(first, 'name'), tag: find(first, 'tag') };
  const hasHeadings = Object.values(found).some((at) => at >= 0);
  const base = { encoding, hasHeadings, firstId };
  if (!hasHeadings) {
    // As people write lists: perhaps a number, perhaps a code, then the name, perhaps the tag.
    const isWords = (cell = ''): boolean => cell.replaceAll(/\P{L}/gu, '').length > cell.length / 2;
    const name = Math.max(0, first.findIndex(isWords));
    const id = first.findIndex((cell, at) => at < name && /^-?\d+$/.test(cell.trim()));
    return { ...base, id: id < 0 ? 'new' : id, name, tag: isWords(first[name + 1]) ? name + 1 : 'none' };
  }
  const others = first.map((_, at) => at).filter((at) => at !== found.id && at !== found.tag);
  return {
    ...base,
    id: found.id >= 0 ? found.id : 'new',
    name: found.name >= 0 ? found.name : (others[0] ?? 0),
    tag: found.tag >= 0 ? found.tag : 'none',
  };
}

/** A column is one thing at most: what had it before gives it up. */
export function changePlan(plan: CsvPlan, change: Partial<CsvPlan>, columnCount: number): CsvPlan {
  const next = { ...plan, ...change };
  let { id, name, tag } = next;
  if (change.id !== undefined && name === id) {
    const free = Array.from({ length: columnCount }, (_, at) => at).find((at) => at !== id && at !== tag);
    name = plan.id === 'new' ? (free ?? name) : plan.id;
  }
  if (id === name) id = 'new';
  if (tag === name || tag === id) tag = 'none';
  return { ...next, id, name, tag };
}

export function toColumnNames(first: Cells, { hasHeadings }: CsvPlan): readonly string[] {
  return first.map((cell, at) => {
    const text = cell.trim().slice(0, 40);
    if (!hasHeadings) return `Column ${at + 1}${text === '' ? '' : `: ${text}`}`;
    return text === '' ? `Column ${at + 1}` : text;
  });
}

/** Names of the columns that nothing is taken from. */
export function toLeftOut(first: Cells, plan: CsvPlan): readonly string[] {
  return toColumnNames(first, plan).filter((_, at) => toField(first, plan, at) === undefined);
}

/** The header line that tells the service what the columns are; columns that are left out keep their headings, unless it knows them. */
export function toHeader(first: Cells, plan: CsvPlan, separator: string): string {
  const names = first.map((cell, at) => {
    const own = plan.hasHeadings && toNamed(cell) === undefined ? cell.trim().replaceAll(/\s+/g, ' ') : '';
    return toField(first, plan, at) ?? (own === '' ? `column ${at + 1}` : quoteCell(own));
  });
  return [...(plan.id === 'new' ? ['id'] : []), ...names].join(separator);
}

/** Whether the service understands the file as it is. */
export function isPlain(first: Cells, plan: CsvPlan): boolean {
  const { encoding, hasHeadings, id } = plan;
  return (
    !isCorrecting(plan) &&
    plan.start === undefined &&
    plan.separator === undefined &&
    encoding === 'utf-8' &&
    hasHeadings &&
    id !== 'new' &&
    first.every((cell, at) => toField(first, plan, at) === toNamed(cell))
  );
}

/** Whether it changes rows, or leaves some out. */
export function isCorrecting({ repairsIds = false, skipsUnnamed = false, tags, end }: CsvPlan): boolean {
  return repairsIds || skipsUnnamed || tags !== undefined || end !== undefined;
}

/** The id that a spreadsheet shows as 007, 12.345, 12,345 or 7.00; undefined: it is none of these. */
export function repairId(text: string): string | undefined {
  const id = text
    .trim()
    .replace(/^(-?\d{1,3})((?:[.,'’\s]\d{3})+)$/, (all) => all.replaceAll(/[^-\d]/g, ''))
    .replace(/^(-?\d+)[.,]0{1,2}$/, '$1')
    .replace(/^(-?)0+(?=\d)/, '$1');
  return id !== text && parseInt64(id) !== undefined ? id : undefined;
}

/** What a column is for the service; undefined: nothing. */
function toField(first: Cells, { hasHeadings, id, name, tag }: CsvPlan, at: number): string | undefined {
  const chosen = at === name ? 'name' : at === id ? 'id' : at === tag ? 'tag' : undefined;
  const named = toNamed(first[at] ?? '');
  const isOther = hasHeadings && named !== undefined && !['id', 'name', 'tag'].includes(named);
  return chosen ?? (isOther ? named : undefined);
}

function toNamed(cell: string): string | undefined {
  return ['id', ...plantFields].find((field) => field.toLowerCase() === cell.trim().toLowerCase());
}
