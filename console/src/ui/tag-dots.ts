/** Which dot tells a tag apart. The stylesheet gives each dot its colour. */

/** Kinds of dots. */
const dotCount = 12;

const settled = new Map<string, number>();

/** The same tag has the same dot everywhere. */
export function dotOf(tag: string): number {
  return settled.get(tag) ?? toDot(tag);
}

/** Gives the tags that are seen most dots of their own; every other one shares. */
export function settleDots(tags: readonly string[]): void {
  settled.clear();
  const free = new Set(Array.from({ length: dotCount }, (_, dot) => dot));
  for (const tag of tags.slice(0, dotCount).sort()) {
    let dot = toDot(tag);
    while (!free.has(dot)) dot = (dot + 1) % dotCount;
    free.delete(dot);
    settled.set(tag, dot);
  }
}

function toDot(tag: string): number {
  let sum = 7;
  for (let at = 0; at < tag.length; at++) sum = (sum * 31 + tag.charCodeAt(at)) % 65_521;
  return sum % dotCount;
}
