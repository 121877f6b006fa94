/** A tag whose spaces and invisible characters are to be seen: tags may differ in these alone. */
export function toVisibleText(text: string): string {
  return text
    .replaceAll(/^ +| +$/g, (spaces) => '␣'.repeat(spaces.length))
    .replaceAll(
      /[[\p{C}\p{Z}]--[ ]]/gv,
      (sign) => `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
    );
}
