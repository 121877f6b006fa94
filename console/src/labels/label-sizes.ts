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
}

const medium: LabelSize = {
  key: 'medium',
  name: 'Medium',
  width: 63.5,
  height: 38.1,
  addressBytesMax: 212,
  avery: 'L7160',
};

export const labelSizes: readonly LabelSize[] = [
  { key: 'small', name: 'Small', width: 38.1, height: 21.2, addressBytesMax: 83, avery: 'L7651' },
  medium,
  { key: 'large', name: 'Large', width: 99.1, height: 67.7, addressBytesMax: 411, avery: 'L7165' },
  { key: 'stake', name: 'Stake', width: 95, height: 20, addressBytesMax: 83 },
];

export const paper = { width: 210, height: 297 } as const;

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

/** Whether only the machine itself reaches the address. */
export function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false;
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(new URL(address).hostname);
}

export function findSize(key: string | undefined): LabelSize {
  return labelSizes.find((each) => each.key === key) ?? medium;
}
