/** The tags in use with their counts, and the number of all plants: of the copy if it is whole, otherwise read after changes. */
import type { PlantClient, PlantFilter, TagCount } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { currentSession, noteError } from '../session/session.ts';
import { bounds } from './bounds.ts';
import { currentCopy } from './copy.ts';
import type { CopyState } from './copy-ports.ts';
import type { PlantCopy } from './plant-copy.ts';

export interface Tally {
  /** Ascending by code point. */
  readonly tags: readonly TagCount[];
  /** False: the service has more. */
  readonly isWhole: boolean;
  readonly plants: bigint;
}

export const tally = new Observable<Tally | undefined>(undefined);

/** The number of plants in a list, where the tags tell it. */
export function countOf(known: Tally | undefined, filter: PlantFilter): number | undefined {
  const { tag, untagged, ...others } = filter;
  if (known === undefined || Object.keys(others).length > 0) return undefined;
  if (untagged === true) {
    const tagged = known.tags.reduce((sum, { plants }) => sum + plants, 0n);
    return known.isWhole ? Number(known.plants - tagged) : undefined;
  }
  const count = tag === undefined ? known.plants : known.tags.find((each) => each.tag === tag)?.plants;
  return count === undefined ? undefined : Number(count);
}

/** Tags that are read: five pages a second at most while plants change, and more tags than anyone sorts plants by. */
const tagsMax = 5_000;
/** The tags of the service are read at most once in this time, in milliseconds. */
const readMs = 1_000;

export function startTally(): void {
  let reading: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => undefined;
  const update = async (copy: PlantCopy): Promise<void> => {
    timer = undefined;
    reading?.abort();
    if (copy.state.isWhole) {
      tally.set(toTally(copy.state));
      return;
    }
    const current = currentSession();
    if (current === undefined) return;
    const { signal } = (reading = new AbortController());
    try {
      tally.set(await readTally(current.client, signal));
    } catch (error) {
      if (!signal.aborted) noteError(error);
    }
  };
  currentCopy.subscribe(() => {
    stop();
    clearTimeout(timer);
    timer = undefined;
    reading?.abort();
    tally.set(undefined);
    const copy = currentCopy.value;
    if (copy === undefined) return;
    stop = copy.changes.add(() => {
      const { isWhole, total = 0 } = copy.state;
      // Of a large store they are known before its first plants are read.
      if (copy.isLoaded || total > bounds.plantsMax)
        timer ??= setTimeout(() => void update(copy), isWhole || tally.value === undefined ? 0 : readMs);
    });
  });
}

function toTally({ rows }: CopyState): Tally {
  const counts = new Map<string, bigint>();
  for (const { plant } of rows.values()) {
    const { tag } = plant;
    if (tag !== undefined) counts.set(tag, (counts.get(tag) ?? 0n) + 1n);
  }
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return { tags: sorted.map(([tag, plants]) => ({ tag, plants })), isWhole: true, plants: BigInt(rows.size) };
}

async function readTally(client: PlantClient, signal: AbortSignal): Promise<Tally> {
  const tags: TagCount[] = [];
  const [plants, first] = await Promise.all([client.count({ signal }), client.tagsPage({ signal })]);
  let page = first;
  for (;;) {
    tags.push(...page.items);
    if (page.next === undefined || tags.length >= tagsMax) break;
    page = await client.tagsPage(page.next, { signal });
  }
  return { tags, isWhole: page.next === undefined, plants };
}
