/** Sizes of labels and papers in millimetres, and how many labels a sheet has. The sizes match the common label sheets for A4. */

export interface LabelSize {
  readonly key: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Longest address, in bytes, whose QR code has modules that phones read easily (about 0.4 mm). */
  readonly addressBytesMax: number;
}

export interface Paper {
  readonly key: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

const medium: LabelSize = { key: 'medium', name: 'Medium', width: 63.5, height: 38.1, addressBytesMax: 213 };
const a4: Paper = { key: 'a4', name: 'A4', width: 210, height: 297 };

export const labelSizes: readonly LabelSize[] = [
  { key: 'small', name: 'Small', width: 38.1, height: 21.2, addressBytesMax: 84 },
  medium,
  { key: 'large', name: 'Large', width: 99.1, height: 67.7, addressBytesMax: 412 },
  { key: 'stake', name: 'Stake', width: 95, height: 20, addressBytesMax: 84 },
];

export const papers: readonly Paper[] = [a4, { key: 'letter', name: 'Letter', width: 215.9, height: 279.4 }];

/** Between two columns. Rows touch each other. */
export const columnGap = 2.5;
/** Printers leave at least this much white at each edge. */
const edgeMin = 4;

export function toGridOf(
  { width, height }: LabelSize,
  paper: Paper,
): { readonly columns: number; readonly rows: number } {
  return {
    columns: Math.floor((paper.width - 2 * edgeMin + columnGap) / (width + columnGap)),
    rows: Math.floor((paper.height - 2 * edgeMin) / height),
  };
}

export function findSize(key: string | undefined): LabelSize {
  return labelSizes.find((each) => each.key === key) ?? medium;
}

export function findPaper(key: string | undefined): Paper {
  return papers.find((each) => each.key === key) ?? a4;
}
