/** The tidy rules: finds misplaced or malformed files in a map of texts. Reads no files, so that tests can supply bad samples. */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { FolderOrder, Module } from './module-table.ts';
import { readSourceFacts } from './source-facts.ts';
import type { SourceFacts } from './source-facts.ts';

const lineCountMax = 250;
const wordsForbidden = new Set(['dto', 'entity', 'impl', 'manager', 'helper', 'helpers', 'util', 'utils']);

export interface Tree {
  /** Maps paths from the project's root, with slashes, to texts. */
  readonly files: ReadonlyMap<string, string>;
  readonly modules: ReadonlyMap<string, Module>;
  /** Maps folders below `src/` to the order of their entries. */
  readonly orders: ReadonlyMap<string, FolderOrder>;
  /** Files of `src/` that the package exports. */
  readonly publicFiles: ReadonlySet<string>;
  /** Maps paths to the reason why the file may be longer. */
  readonly longFiles: ReadonlyMap<string, string>;
}

/** Returns one line per violation, starting with the path; empty if the tree is tidy. */
export function findViolations(tree: Tree): string[] {
  const facts = new Map([...tree.files].map(([path, text]) => [path, readSourceFacts(path, text)]));
  const violations = [...facts].flatMap(([path, file]) => [
    ...findShapeViolations(path, file),
    ...findLengthViolations(path, file, tree.longFiles),
    ...findModuleViolations(path, file, tree),
    ...findOrderViolations(path, file, tree.orders),
  ]);
  const absent = [...tree.longFiles.keys()].filter((path) => !facts.has(path));
  return [
    ...violations,
    ...absent.map((path) => `${path} is listed as a long file, and does not exist`),
    ...findSharedPackages(facts),
    ...findCycles(facts),
  ];
}

/** Returns the module of a path: `''` for a misplaced file, undefined if no module rule applies. */
function findModule(path: string): string | undefined {
  const [top = '', second = '', ...rest] = path.split('/');
  if (top === 'scripts' || top === 'console') return top;
  if (top !== 'src') return undefined;
  if (path === 'src/main.ts') return 'main';
  return rest.length === 0 ? '' : second;
}

function findShapeViolations(path: string, file: SourceFacts): string[] {
  const violations: string[] = [];
  const nameWords = path.replace(/\.tsx?$/, '').split(/[/.-]/);
  const words = [...nameWords, ...file.exportedNames.flatMap((name) => name.split(/(?=[A-Z][a-z])|_/))];
  for (const word of new Set(words.filter((each) => wordsForbidden.has(each.toLowerCase())))) {
    violations.push(`${path} uses the word "${word}" in a name: say what the thing is`);
  }
  if (!/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.deep)?(\.test)?\.tsx?$/.test(path)) {
    violations.push(`${path} is not named in kebab-case`);
  }
  if (!file.opensWithDocComment) violations.push(`${path} does not open with a doc comment that says its job`);
  if (file.hasDefaultExport) violations.push(`${path} has a default export`);
  // What one session knows, the next one must not.
  if (file.hasModuleLet && path.startsWith('console/src/') && !path.startsWith('console/src/session/'))
    violations.push(`${path} has a variable outside of functions: use ofSession()`);
  if (file.isBarrel) violations.push(`${path} only re-exports other files`);
  return violations;
}

function findLengthViolations(path: string, file: SourceFacts, longFiles: ReadonlyMap<string, string>): string[] {
  const isLong = file.lineCount > lineCountMax;
  if (isLong === longFiles.has(path)) return [];
  if (!isLong) return [`${path} is listed as a long file, and is not: take it off the list`];
  // Tests are tables of scenarios, which may grow.
  if (path.startsWith('test/')) return [];
  return [`${path} has ${file.lineCount} lines, more than ${lineCountMax}: split it, or list it with a reason`];
}

function findModuleViolations(path: string, file: SourceFacts, { modules, publicFiles }: Tree): string[] {
  const name = findModule(path);
  if (name === undefined) return [];
  const module = modules.get(name);
  if (module === undefined) return [`${path} is in no module of the table in ARCHITECTURE.md`];
  const violations = file.imports.flatMap((each) => findImportViolations(path, name, module, each));
  if (name === 'console') violations.push(...findPrivateImports(path, file, publicFiles));
  if (path.startsWith('src/') && name !== 'main' && file.touchesProcess) {
    violations.push(`${path} touches the process: only src/main.ts may`);
  }
  return violations;
}

function findImportViolations(path: string, name: string, module: Module, specifier: string): string[] {
  if (!specifier.startsWith('.')) {
    if (isBuiltin(specifier)) {
      if (!specifier.startsWith('node:')) return [`${path} imports ${specifier} without "node:"`];
      return module.builtinsAllowed ? [] : [`${path} imports ${specifier}: ${name} uses nothing of Node`];
    }
    return module.packagesAllowed ? [] : [`${path} imports ${specifier}: ${name} uses no packages`];
  }
  const target = resolveImport(path, specifier);
  const targetModule = findModule(target);
  if (targetModule === name) return [];
  if (targetModule === undefined) return [`${path} imports ${target}, which is outside of all modules`];
  return module.mayImport.has(targetModule)
    ? []
    : [`${path} imports ${target}: ${name} may not import ${targetModule}`];
}

/** The console is an app on the package: it imports what every app can. */
function findPrivateImports(path: string, file: SourceFacts, publicFiles: ReadonlySet<string>): string[] {
  const targets = file.imports.map((specifier) => resolveImport(path, specifier));
  return targets
    .filter((target) => target.startsWith('src/client/') && !publicFiles.has(target))
    .map((target) => `${path} imports ${target}, which the package does not export`);
}

function findOrderViolations(path: string, file: SourceFacts, orders: ReadonlyMap<string, FolderOrder>): string[] {
  const targets = file.imports.filter((specifier) => specifier.startsWith('.'));
  return [...orders].flatMap(([folder, order]) =>
    targets.flatMap((specifier) => {
      const target = resolveImport(path, specifier);
      const [from, to] = [findEntry(path, folder), findEntry(target, folder)];
      if (from === undefined || to === undefined || from === to) return [];
      const [fromRank, toRank] = [findRank(from, order), findRank(to, order)];
      if (fromRank === -1 || toRank === -1)
        return [`${path} imports ${target}: the order of ${folder} lacks one of them`];
      // Entries without a group may import each other; cycles are found elsewhere.
      if (fromRank < toRank || (fromRank === toRank && isRest(from, order) && isRest(to, order))) return [];
      return [`${path} imports ${target}: in ${folder}, ${from} may not import ${to}`];
    }),
  );
}

/** Folders are those of `src/`, and of the console. Returns `threads` for `src/store/sqlite/threads/writer.ts` in `store/sqlite`. */
function findEntry(path: string, folder: string): string | undefined {
  const start = folder.startsWith('console') ? `${folder}/` : `src/${folder}/`;
  return path.startsWith(start)
    ? path
        .slice(start.length)
        .split('/')[0]
        ?.replace(/\.tsx?$/, '')
    : undefined;
}

function findRank(entry: string, order: FolderOrder): number {
  const rank = order.findIndex((group) => group.includes(entry));
  return rank === -1 ? order.findIndex((group) => group.includes('*')) : rank;
}

function isRest(entry: string, order: FolderOrder): boolean {
  return !order.some((group) => group.includes(entry));
}

function resolveImport(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

function findSharedPackages(facts: ReadonlyMap<string, SourceFacts>): string[] {
  const users = new Map<string, Set<string>>();
  for (const [path, { imports }] of facts) {
    const module = findModule(path);
    if (module === undefined || !path.startsWith('src/')) continue;
    for (const specifier of imports) {
      if (specifier.startsWith('.') || isBuiltin(specifier)) continue;
      const packageName = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
      users.set(packageName, (users.get(packageName) ?? new Set()).add(module));
    }
  }
  return [...users]
    .filter(([, modules]) => modules.size > 1)
    .map(
      ([name, modules]) => `${name} is a package of one module, and is imported in ${[...modules].sort().join(', ')}`,
    );
}

/** Returns the files that close a cycle, in depth-first order. */
function findCycles(facts: ReadonlyMap<string, SourceFacts>): string[] {
  const violations: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, way: readonly string[]): void => {
    const seenAt = way.indexOf(path);
    if (seenAt !== -1) {
      violations.push(`${path} imports itself: ${[...way.slice(seenAt), path].join(' -> ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const specifier of facts.get(path)?.imports ?? []) {
      if (specifier.startsWith('.')) walk(resolveImport(path, specifier), [...way, path]);
    }
    done.add(path);
  };
  for (const path of facts.keys()) walk(path, []);
  return violations;
}
