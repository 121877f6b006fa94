/** Sizes of labels on A4 sheets in millimetres, and how many a sheet has. Without a browser. */

export interface LabelSize {
  readonly key: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Longest address, in bytes, whose QR code has modules that phones read easily (about 0.4 mm). */
  readonly addressBytesMax: number;
  /** The common sheet with such labels; absent: plain paper, to be cut. */
  readonly avery?: string;
  /** Of the name: height of its letters, width beside the code, and lines at most. */
  readonly letters: number;
  readonly room: number;
  readonly lines: number;
  /** What the code takes of the width, with the gap beside it; 0: it is below. */
  readonly codeWidth: number;
  readonly hasTag: boolean;
}

const medium: LabelSize = {
  key: 'medium',
  name: 'Medium',
  width: 63.5,
  height: 38.1,
  addressBytesMax: 212,
  avery: 'L7160',
  letters: 4.3,
  room: 32,
  lines: 4,
  codeWidth: 27,
  hasTag: true,
};

export const labelSizes: readonly LabelSize[] = [
  {
    ...{ key: 'small', name: 'Small', width: 38.1, height: 21.2, addressBytesMax: 83, avery: 'L7651' },
    ...{ letters: 2.5, room: 15.7, lines: 4, codeWidth: 19, hasTag: false },
  },
  medium,
  {
    ...{ key: 'large', name: 'Large', width: 99.1, height: 67.7, addressBytesMax: 411, avery: 'L7165' },
    ...{ letters: 5.5, room: 90, lines: 2, codeWidth: 0, hasTag: true },
  },
  {
    ...{ key: 'stake', name: 'Stake', width: 95, height: 20, addressBytesMax: 83 },
    ...{ letters: 3.8, room: 72, lines: 2, codeWidth: 19, hasTag: true },
  },
];

export const paper = { width: 210, height: 297 } as const;

/** The smallest letters of a name, in percent of the usual ones, and by how much they are made smaller. */
const scaleMin = 70;
const scaleStep = 5;
const spaceWidth = 0.35;

/** By how much the letters of a name are smaller, in percent, so that each word fits into a line and all into the lines. @param words their widths in em. */
export function toNameScale(words: readonly number[], room: number, { letters, lines }: LabelSize): number {
  for (let scale = 100; scale > scaleMin; scale -= scaleStep)
    if (countLines(words, (room * 100) / letters / scale) <= lines) return scale;
  return scaleMin;
}

function countLines(words: readonly number[], room: number): number {
  let lines = 0;
  let left = 0;
  for (const width of words) {
    if (width > room) return Infinity;
    if (spaceWidth + width <= left) left -= spaceWidth + width;
    else {
      lines++;
      left = room - width;
    }
  }
  return lines;
}

/** Labels of one print: more sheets than anyone prints at once. */
export const labelsMax = 2_000;

/** Between two columns. Rows touch each other. */
export const columnGap = 2.5;
/** Printers leave at least this much white at each edge. */
const edgeMin = 4;

export function toGridOf({ width, height }: LabelSize): { readonly columns: number; readonly rows: number } {
  return {
    columns: Math.floor((paper.width - 2 * edgeMin + columnGap) / (width + columnGap)),
    rows: Math.floor((paper.height - 2 * edgeMin) / height),
  };
}

/**
 * The labels of each sheet: `copies` of each item one after another, and none before the place `start` of the first sheet, which is 1 for
 * a full one.
 */
export function toSheets<Item>(
  items: readonly Item[],
  perSheet: number,
  { start, copies }: { readonly start: number; readonly copies: number },
): readonly (readonly (Item | undefined)[])[] {
  const labels = items.flatMap((item) => Array.from({ length: copies }, () => item)).slice(0, labelsMax);
  const places = [...Array.from({ length: labels.length === 0 ? 0 : start - 1 }, () => undefined), ...labels];
  return Array.from({ length: Math.ceil(places.length / perSheet) }, (_, at) =>
    places.slice(at * perSheet, (at + 1) * perSheet),
  );
}

export function findSize(key: string | undefined): LabelSize {
  return labelSizes.find((each) => each.key === key) ?? medium;
}

export function toSizeText({ width, height, avery }: LabelSize): string {
  return `${width} × ${height} mm, ${avery === undefined ? 'A4 paper to be cut' : `Avery ${avery}`}`;
}
