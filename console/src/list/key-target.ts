/** The row of a list to which a key leads. */

/** Undefined: the key leads nowhere. */
export function keyTarget(key: string, row: number, pageRows: number, rows: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + pageRows,
    PageUp: row - pageRows,
    Home: 0,
    End: rows - 1,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.max(0, Math.min(rows - 1, target));
}
