/** The row of the list to which a key leads. */

/** Undefined: the key leads nowhere. @param end follows the last row. */
export function keyTarget(key: string, row: number, pageRows: number, start: number, end: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + pageRows,
    PageUp: row - pageRows,
    Home: start,
    End: end - 1,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.max(start, Math.min(end - 1, target));
}
