/** Characters of the longest id that was shown: the names of all rows begin at one line, which only longer ids move. */
import { useRef } from 'preact/hooks';
import type { PlantWindow } from './plant-window.ts';

export function useIdLength(plants: PlantWindow, ids: readonly bigint[]): number {
  const longest = useRef({ plants, length: 0 });
  if (longest.current.plants !== plants) longest.current = { plants, length: 0 };
  for (const id of ids) longest.current.length = Math.max(longest.current.length, String(id).length);
  return longest.current.length;
}
