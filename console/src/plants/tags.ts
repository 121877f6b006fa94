/** The tags in use with their counts, and the number of all plants: read once, and again after changes and after the service was away. */
import type { PlantClient, PlantFilter, TagCount } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { onBack } from '../session/connection.ts';
import { noteError, session } from '../session/session.ts';
import { onAnnounced } from '../copy/changes.ts';

export interface Tally {
  /** Ascending by code point. */
  readonly tags: readonly TagCount[];
  /** The address of more tags than were read. */
  readonly next: string | undefined;
  /** Number of all plants. */
  readonly plants: bigint;
}

export const tally = new Observable<Tally | undefined>(undefined);

/** The number of plants in a list, where the tags tell it. */
export function countOf(known: Tally | undefined, { tag, ...others }: PlantFilter): number | undefined {
  if (known === undefined || Object.keys(others).length > 0) return undefined;
  const count = tag === undefined ? known.plants : known.tags.find((each) => each.tag === tag)?.plants;
  return count === undefined ? undefined : Number(count);
}

/** Maximum number of tags to read: enough for suggestions. */
const tagsMax = 5_000;
/** Changes in quick succession cause one read, after this many milliseconds; those by others cause one in this time. */
const settleMs = 400;
const othersMs = 2_000;

let timer: ReturnType<typeof setTimeout> | undefined;
let reading: AbortController | undefined;

session.subscribe(() => {
  reading?.abort();
  tally.set(undefined);
  void refresh();
});
onBack(refreshSoon);
onAnnounced((announcement) => {
  if (announcement.kind === 'seen') return;
  if (announcement.kind === 'logged') {
    if (announcement.changes.some(({ isOwn }) => !isOwn)) timer ??= setTimeout(refresh, othersMs);
  } else refreshSoon();
});

function refreshSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(refresh, settleMs);
}

async function refresh(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const current = session.value;
  if (typeof current !== 'object' || !current.canRead) return;
  reading?.abort();
  const controller = new AbortController();
  reading = controller;
  try {
    const read = await readTally(current.client, controller.signal);
    if (controller.signal.aborted) return;
    tally.set(read);
  } catch (error) {
    if (!controller.signal.aborted) noteError(error, 'read');
  }
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
  return { tags, next: page.next, plants };
}
