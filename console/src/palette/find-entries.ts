/** What the palette lists for a text: commands and pages with its words, tags that contain it, and plants that the service has found. */
import type { StoredPlant, TagCount } from '../../../src/client/client.ts';
import { begins, fold, toWords } from '../copy/order.ts';
import { suggestTags } from '../copy/tag-search.ts';
import { type Route, type ViewName, viewChange, viewNames, viewTitles } from '../route.ts';
import { type CommandName, commands } from '../ui/keys.ts';
import { toCount } from '../ui/numbers.ts';

export interface Entry {
  readonly kind: CommandName | ViewName | 'tag' | 'plant';
  readonly text: string;
  /** Beside the text: a key, an id, or how many. */
  readonly more: bigint | string | undefined;
  /** Where it leads; a command does something else. */
  readonly change?: Partial<Route>;
}

/** Tags to list. */
const tagsMax = 5;

interface Known {
  readonly tags: readonly TagCount[];
  readonly plants: readonly StoredPlant[];
  readonly canWrite: boolean;
}

export function findEntries(typed: string, { tags, plants, canWrite }: Known): readonly Entry[] {
  const text = typed.trim();
  const fixed: readonly Entry[] = [
    ...commands
      .filter(({ name }) => name !== 'palette' && (canWrite || name !== 'new'))
      .map(({ name, text, key }) => ({ kind: name, text, more: key })),
    ...viewNames.map((view) => ({ kind: view, text: viewTitles[view], more: 'Page', change: viewChange(view) })),
  ];
  if (text === '') return fixed;
  const words = toWords(text);
  return [
    ...fixed.filter((entry) => begins(fold(entry.text), words)),
    ...suggestTags(text, tags)
      .slice(0, tagsMax)
      .map(
        ({ tag, plants }) =>
          ({
            kind: 'tag',
            text: tag,
            more: toCount(plants, 'plant'),
            change: { ...viewChange('plants'), search: '', tag },
          }) as const,
      ),
    ...plants.map(
      ({ id, name }) =>
        ({ kind: 'plant', text: name, more: id, change: { ...viewChange('plants'), plant: id } }) as const,
    ),
  ];
}
