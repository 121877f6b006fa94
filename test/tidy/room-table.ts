/**
 * Parses the module tables of ARCHITECTURE.md, so that the page is the rule. Does not check files.
 */

/** One row of the table. */
export interface Room {
  /** Modules that it may import; `types` allows only `import type`. */
  readonly mayImport: ReadonlyMap<string, 'all' | 'types'>;
  readonly builtinsAllowed: boolean;
  readonly packagesAllowed: boolean;
}

/** @throws Error naming the invalid cell. */
export function parseRoomTable(markdown: string): ReadonlyMap<string, Room> {
  const rooms = new Map<string, Room>();
  for (const [nameCell, importCell, neverCell] of tableRows(markdown)) {
    const name = /^`([a-z]+)`$/.exec(nameCell)?.[1];
    if (name === undefined) throw new Error(`Cannot read room table: ${nameCell} is not the name of a room`);
    rooms.set(name, {
      mayImport: parseImportCell(importCell, [...rooms.keys()]),
      builtinsAllowed: !neverCell.includes('Node built-ins'),
      packagesAllowed: !neverCell.includes('packages'),
    });
  }
  for (const [name, room] of rooms) {
    for (const other of room.mayImport.keys()) {
      if (!rooms.has(other)) throw new Error(`Cannot read room table: ${name} names ${other}, which has no row`);
    }
  }
  return rooms;
}

/**
 * The entries of a folder, from the top down: each may import those of later groups. `*` is every
 * other entry.
 */
export type FolderOrder = readonly (readonly string[])[];

/** Parses the table of orders inside modules. @throws Error naming the invalid row. */
export function parseOrderTable(markdown: string): ReadonlyMap<string, FolderOrder> {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => /^\| *inside *\| *order *\|$/.test(line));
  if (head === -1) throw new Error('Cannot read order table: its head "inside, order" is missing');
  const orders = new Map<string, FolderOrder>();
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith('|')) break;
    const match = /^\| *`([a-z/]+)` *\| *((?:`[a-z*-]+`(?:, | > )?)+) *\|$/.exec(line);
    const [, folder, order] = match ?? [];
    if (folder === undefined || order === undefined) throw new Error(`Cannot read order table: "${line}"`);
    const groups = order.trim().split(' > ');
    orders.set(
      folder,
      groups.map((group) => group.split(', ').map((name) => name.replaceAll('`', ''))),
    );
  }
  return orders;
}

function tableRows(markdown: string): [string, string, string][] {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => /^\| *room *\| *may import *\| *never *\|$/.test(line));
  if (head === -1) throw new Error('Cannot read room table: its head "room, may import, never" is missing');
  const rows: [string, string, string][] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith('|')) break;
    const [, name, mayImport, never] = line.split('|').map((cell) => cell.trim());
    if (name === undefined || mayImport === undefined || never === undefined) {
      throw new Error(`Cannot read room table: "${line}" has not three cells`);
    }
    rows.push([name, mayImport, never]);
  }
  return rows;
}

function parseImportCell(cell: string, above: readonly string[]): Map<string, 'all' | 'types'> {
  if (cell === 'nothing') return new Map();
  if (cell === 'all of the above') return new Map(above.map((room) => [room, 'all']));
  return new Map(
    cell.split(', ').map((part) => {
      const match = /^`([a-z]+)`( \(types\))?$/.exec(part);
      if (match?.[1] === undefined) throw new Error(`Cannot read room table: "${part}" is not a room`);
      return [match[1], match[2] === undefined ? 'all' : 'types'];
    }),
  );
}
