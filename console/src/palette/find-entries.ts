/** What the palette lists for a text: commands and pages with its words, tags that contain it, and plants that the service has found. */
import type { StoredPlant, TagCount } from '../../../src/client/client.ts';
import { suggestTags } from '../plants/tag-search.ts';
import type { ViewName } from '../route.ts';
import { type Command, commands } from '../ui/keys.ts';

export type Entry =
  | { readonly kind: 'command'; readonly text: string; readonly command: Command }
  | { readonly kind: 'page'; readonly text: string; readonly view: ViewName }
  | { readonly kind: 'tag'; readonly tag: TagCount }
  | { readonly kind: 'plant'; readonly plant: StoredPlant };

/** Tags to list. */
const tagsMax = 5;

interface Known {
  readonly titles: Readonly<Record<ViewName, string>>;
  readonly tags: readonly TagCount[];
  readonly plants: readonly StoredPlant[];
  readonly canWrite: boolean;
}

export function findEntries(typed: string, { titles, tags, plants, canWrite }: Known): readonly Entry[] {
  const text = typed.trim();
  const isWanted = ({ name }: Command): boolean => name !== 'palette' && (canWrite || name !== 'new');
  const fixed = [
    ...commands.filter(isWanted).map((command) => ({ kind: 'command', text: command.text, command }) as const),
    ...(Object.keys(titles) as ViewName[]).map((view) => ({ kind: 'page', text: titles[view], view }) as const),
  ];
  if (text === '') return fixed;
  return [
    ...fixed.filter((entry) => hasWords(entry.text, text)),
    ...suggestTags(text, tags, tagsMax).tags.map((tag) => ({ kind: 'tag', tag }) as const),
    ...plants.map((plant) => ({ kind: 'plant', plant }) as const),
  ];
}

/** Whether each word of the text begins a word of the name. */
function hasWords(name: string, text: string): boolean {
  const words = name.toLowerCase().split(' ');
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((each) => words.some((word) => word.startsWith(each)));
}
