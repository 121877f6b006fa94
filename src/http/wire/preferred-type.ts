/** Accept: the media type that a client prefers. */

/**
 * Returns the media type that a client prefers by its Accept field (RFC 9110, section 12.5.1): the one
 * with the best rank, the first of equals; undefined: all are excluded.
 */
export function preferredType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept === '*/*' || offered.length === 0) return offered[0] ?? '';
  const ranges = accept
    .split(',')
    .filter((each) => each.trim() !== '')
    .map(toRange);
  // A field without ranges excludes nothing.
  if (ranges.length === 0) return offered[0];
  let best: string | undefined;
  let bestRank: readonly [number, number] = [0, 0];
  for (const type of offered) {
    const rank = rankOf(type, ranges);
    // An explicit type beats a wildcard of the same quality.
    if (rank[0] > bestRank[0] || (rank[0] === bestRank[0] && rank[0] > 0 && rank[1] > bestRank[1])) {
      [best, bestRank] = [type, rank];
    }
  }
  return best;
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((each) => each.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** Returns quality and precision of the most precise matching range. */
function rankOf(type: string, ranges: readonly Range[]): readonly [quality: number, precision: number] {
  const anySubtype = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const [precision, wanted] of [
    [2, type],
    [1, anySubtype],
    [0, '*/*'],
  ] as const) {
    const fitting = ranges.filter((range) => range.type === wanted);
    if (fitting.length > 0) return [Math.max(...fitting.map((range) => range.quality)), precision];
  }
  return [0, 0];
}
