/** Leads from a batch or an import to its plants. */
import type { Change, PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { bounds } from '../copy/bounds.ts';
import { currentCopy } from '../copy/copy.ts';
import { picked } from './picked-plants.ts';
import { allPlants, navigate } from '../route.ts';
import { showFailure } from '../session/show-failure.ts';
import { showToast, type ToastAction } from '../session/toasts.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { readEnough } from '../copy/read-enough.ts';

/** Plants of a group that can be selected: as many as the list has. */
export const shownMax = bounds.plantsMax;

const pageSize = 1_000;
/** Pages of the change log that are read to find them: as many again for what others did since. */
const pagesMax = (2 * shownMax) / pageSize;

/**
 * @param count of its plants.
 * @param known its newest changes, newest first.
 * @param onFound what is done with the plants. Default: the list shows only these, selected.
 */
export async function showGroup(
  client: PlantClient,
  group: string,
  count: number,
  known: readonly Change[] = [],
  onFound = showOnly,
): Promise<void> {
  /** As the group left them; undefined: deleted. */
  const toPlants = (changes: readonly Change[]): ReadonlyMap<bigint, StoredPlant | undefined> =>
    new Map(changes.toReversed().flatMap(({ id, plant, group: own }) => (own === group ? [[id, plant]] : [])));
  const isEnough = (changes: readonly Change[]): boolean => toPlants(changes).size >= count;
  try {
    const before = { items: known, next: known.at(-1)?.position };
    const wanted = { pageSize, pagesMax, isEnough };
    const { items, next } = isEnough(known) ? before : await readEnough(client, wanted, before);
    const plants = toPlants(items);
    const ids = [...plants].flatMap(([id, plant]) => (plant === undefined ? [] : [id]));
    navigate(allPlants);
    onFound(ids);
    if (next !== undefined && plants.size < count) {
      const found = `${toGrouped(plants.size)} of ${toCount(count, 'plant')}`;
      showToast({ text: `Only ${found} found: there are too many newer changes.`, isBad: true });
    }
  } catch (error) {
    showFailure(error);
  }
}

/** On a message; none of more plants than can be selected. */
export function toShow(client: PlantClient, group: string, count: bigint): readonly ToastAction[] {
  const run = (): void => void showGroup(client, group, Number(count));
  return count === 0n || count > shownMax ? [] : [{ label: 'Show', run }];
}

function showOnly(ids: readonly bigint[]): void {
  picked().showOnly(ids);
  if (currentCopy.value?.state.isWhole === false)
    showToast({ text: `The list has only the first ${toGrouped(shownMax)} plants. Some of these may be missing.` });
}
