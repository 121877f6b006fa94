/** Characters of the longest id that was shown: the names of all rows begin at one line, which only longer ids move. */
import { useRef } from 'preact/hooks';

export function useIdLength(list: string, ids: readonly bigint[]): number {
  const longest = useRef({ list, length: 0 });
  if (longest.current.list !== list) longest.current = { list, length: 0 };
  for (const id of ids) longest.current.length = Math.max(longest.current.length, String(id).length);
  return longest.current.length;
}
