/** The dot beside a tag. It depends on the tag alone, so it is the same in every list, on every day and in every store. */

/** Colours, as the stylesheet names them: `--dot-0` and up. */
const colorCount = 12;
const shapes = ['disc', 'ring', 'square'] as const;

export interface Dot {
  readonly color: string;
  readonly shape: (typeof shapes)[number];
}

export function dotOf(tag: string): Dot {
  const hash = toHash(tag);
  return {
    color: `var(--dot-${hash % colorCount})`,
    shape: shapes[Math.floor(hash / colorCount) % shapes.length] ?? 'disc',
  };
}

/** FNV-1a over the UTF-16 code units, with a last mix so that similar tags differ. */
function toHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
