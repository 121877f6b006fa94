/** Characters of the longest id that was shown: the names of all rows begin at one line, which only longer ids move. */
import { useRef } from 'preact/hooks';
import type { Row } from '../copy/order.ts';

export function useIdLength(list: string, rows: readonly Row[]): number {
  const longest = useRef({ list, length: 0 });
  if (longest.current.list !== list) longest.current = { list, length: 0 };
  for (const { id } of rows) longest.current.length = Math.max(longest.current.length, String(id).length);
  return longest.current.length;
}
