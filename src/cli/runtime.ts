/** Whether this Node can run the program. Without imports and new syntax: an old Node reads it. */

/** The first Node that passes the whole suite; `engines` in package.json says the same. */
const nodeMin = '24.16.0';
/** Node 25 lacks what 24.16 and 26.0 have: a cut response over HTTP/1.0 looks complete. */
const nodeRefused = 25;
/** The first SQLite with every statement that the store uses as it uses it. */
const sqliteMin = '3.51.0';

/** What is wrong with the runtime, as one sentence without a full stop; undefined if nothing is. */
export function findRuntimeProblem({
  node,
  sqlite,
}: {
  readonly node: string;
  readonly sqlite?: string | undefined;
}): string | undefined {
  if (isOlder(node, nodeMin) || toNumbers(node)[0] === nodeRefused)
    return `Cannot run on Node ${node}: install Node ${nodeMin}, a later 24, or 26 or newer`;
  if (sqlite === undefined || isOlder(sqlite, sqliteMin))
    return `Cannot run on Node ${node}: its SQLite is ${sqlite ?? 'missing'}, and must be ${sqliteMin} or newer`;
  return undefined;
}

/** Compares the first three numbers of two versions. */
function isOlder(version: string, minimum: string): boolean {
  const [wanted, found] = [toNumbers(minimum), toNumbers(version)];
  const index = wanted.findIndex((number, at) => number !== found[at]);
  return index !== -1 && (found[index] ?? 0) < (wanted[index] ?? 0);
}

function toNumbers(version: string): readonly number[] {
  return (version.match(/\d+/g) ?? []).slice(0, 3).map(Number);
}
