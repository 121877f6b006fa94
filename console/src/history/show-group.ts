/** Leads from a batch or an import to its plants: selected in the list, or as labels. */
import type { Change, PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { bounds } from '../copy/bounds.ts';
import { labelledMax } from '../labels/use-label-plants.ts';
import { picked } from '../many/picked-plants.ts';
import { navigate, viewChange } from '../route.ts';
import { noteError } from '../session/session.ts';
import { showFailure } from '../session/show-failure.ts';

/** Plants of a group that can be selected: as many as the list has. */
export const shownMax = bounds.plantsMax;

const pageSize = 1_000;
/** Pages of the change log that are read to find them: as many again for what others did since. */
const pagesMax = (2 * shownMax) / pageSize;

/**
 * @param count of its plants.
 * @param known its newest changes, newest first.
 */
export async function showGroup(
  client: PlantClient,
  group: string,
  count: number,
  { known = [], as }: { readonly known?: readonly Change[]; readonly as?: 'labels' } = {},
): Promise<void> {
  try {
    const plants = await readGroup(client, group, count, known);
    navigate({ ...viewChange('plants'), search: '', tag: undefined });
    if (as === 'labels') navigate({ view: 'labels', ids: plants.slice(0, labelledMax).map(({ id }) => id) });
    else {
      picked().clear();
      picked().add(plants.map(({ id }) => id));
    }
  } catch (error) {
    noteError(error, 'read');
    showFailure(error);
  }
}

/** The plants as the group left them, in the order of the group; those that it deleted are none of them. */
async function readGroup(
  client: PlantClient,
  group: string,
  count: number,
  known: readonly Change[],
): Promise<readonly StoredPlant[]> {
  const found = new Map<bigint, StoredPlant | undefined>();
  const add = (changes: readonly Change[]): void => {
    for (const { id, plant, group: own } of changes) if (own === group && !found.has(id)) found.set(id, plant);
  };
  add(known);
  let after = known.at(-1)?.position;
  for (let pages = 0; pages < pagesMax && found.size < count; pages++) {
    const page = await client.changesPage({ order: 'desc', pageSize, after });
    add(page.items);
    after = page.position;
    if (after === undefined) break;
  }
  return [...found.values()].filter((plant) => plant !== undefined).reverse();
}
