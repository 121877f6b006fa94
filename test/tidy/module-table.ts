/** Parses the module tables of ARCHITECTURE.md, so that the page is the rule. Does not check files. */

/** A row of the table. */
export interface Module {
  /** Modules that it may import. */
  readonly mayImport: ReadonlySet<string>;
  readonly builtinsAllowed: boolean;
  readonly packagesAllowed: boolean;
}

/** @throws Error naming the invalid cell. */
export function parseModuleTable(markdown: string): ReadonlyMap<string, Module> {
  const modules = new Map<string, Module>();
  for (const [nameCell, importCell, neverCell] of tableRows(markdown)) {
    const name = /^`([a-z]+)`$/.exec(nameCell)?.[1];
    if (name === undefined) throw new Error(`Cannot read module table: ${nameCell} is not the name of a module`);
    modules.set(name, {
      mayImport: parseImportCell(importCell, [...modules.keys()]),
      builtinsAllowed: !neverCell.includes('Node built-ins'),
      packagesAllowed: !neverCell.includes('packages'),
    });
  }
  for (const [name, module] of modules) {
    for (const other of module.mayImport.keys()) {
      if (!modules.has(other)) throw new Error(`Cannot read module table: ${name} names ${other}, which has no row`);
    }
  }
  return modules;
}

/** The entries of a folder, from the top down: each may import those of later groups. `*` is every other entry. */
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
  const head = lines.findIndex((line) => /^\| *module *\| *may import *\| *never *\|$/.test(line));
  if (head === -1) throw new Error('Cannot read module table: its head "module, may import, never" is missing');
  const rows: [string, string, string][] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith('|')) break;
    const [, name, mayImport, never] = line.split('|').map((cell) => cell.trim());
    if (name === undefined || mayImport === undefined || never === undefined) {
      throw new Error(`Cannot read module table: "${line}" has not three cells`);
    }
    rows.push([name, mayImport, never]);
  }
  return rows;
}

function parseImportCell(cell: string, above: readonly string[]): Set<string> {
  if (cell === 'nothing') return new Set();
  if (cell === 'all of the above') return new Set(above);
  return new Set(
    cell.split(', ').map((part) => {
      const name = /^`([a-z]+)`$/.exec(part)?.[1];
      if (name === undefined) throw new Error(`Cannot read module table: "${part}" is not a module`);
      return name;
    }),
  );
}
