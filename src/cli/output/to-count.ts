/** A number of things as commands tell it: `1 plant`, `1,200 plants`. The plural has an s. */
export function toCount(count: bigint | number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count.toString() === '1' ? '' : 's'}`;
}
