/** Finds the name that was probably meant by a misspelt one. */

/** Returns the candidate nearest to `name`, if one is near. Ignores the common `prefix`. */
export function findNearest(name: string, candidates: readonly string[], prefix: string): string | undefined {
  const wanted = withoutPrefix(name, prefix);
  // Up to a third of the letters may differ; beyond, it is another word.
  let nearest: string | undefined;
  let nearestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, withoutPrefix(candidate, prefix));
    if (distance < nearestDistance) [nearest, nearestDistance] = [candidate, distance];
  }
  return nearest;
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Counts insertions, removals, replacements and swaps of neighbours (Damerau-Levenshtein). */
function editDistance(left: string, right: string): number {
  // Avoids quadratic time for a hostile long name; real ones are short.
  if (Math.abs(left.length - right.length) > 10) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = at(last, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      row.push(
        Math.min(replaced, at(last, j) + 1, at(row, j - 1) + 1, isSwapped ? at(beforeLast, j - 2) + 1 : Infinity),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
