/** Lines of a file by their numbers, so that a refused row can be shown as it stands there. */

/** Most characters of a line that are shown. */
const lineLengthMax = 240;

/** The lines with these numbers, the first being 1, cut where they are long. Reads no further than the last of them. */
export async function readLines(file: Blob, numbers: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const wanted = new Set(numbers);
  const last = Math.max(0, ...numbers);
  const lines = new Map<number, string>();
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let number = 1;
  let rest = '';
  for (;;) {
    const { value } = await reader.read();
    const parts = (rest + (value ?? '')).split('\n');
    rest = value === undefined ? '' : (parts.pop() ?? '').slice(0, 100_000);
    for (const part of parts) {
      if (wanted.has(number)) lines.set(number, part.replace(/\r$/, '').slice(0, lineLengthMax));
      number++;
      if (number > last) {
        await reader.cancel();
        return lines;
      }
    }
    if (value === undefined) return lines;
  }
}
