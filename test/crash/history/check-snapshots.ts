/**
 * Decides whether each list and export can have been read at one moment: whether there is a point between its start and its end at which
 * every plant can have been in a state that it shows. That alone does not prove linearizability, so each plant's own check has every
 * snapshot as a read too.
 */
import { absent, type History, type Operation, type Snapshot, type State } from './operation.ts';

/** A state and the longest time in which a plant can have been in it. */
interface Window {
  readonly state: State;
  readonly from: number;
  readonly to: number;
}

type Span = readonly [from: number, to: number];

/** Returns a line for each snapshot that was no moment. */
export function checkSnapshots({ operations, snapshots }: History): string[] {
  const windows = new Map([...operations].map(([id, each]) => [id, findWindows(each)]));
  return snapshots.flatMap((snapshot) => checkSnapshot(snapshot, windows) ?? []);
}

function checkSnapshot(snapshot: Snapshot, windows: ReadonlyMap<bigint, readonly Window[]>): string | undefined {
  let spans: Span[] = [[snapshot.start, snapshot.end]];
  for (const [id, each] of windows) {
    const possible = each.filter(({ state, from, to }) => {
      return from <= snapshot.end && to >= snapshot.start && snapshot.accepts(id, state);
    });
    const next = spans.flatMap(([from, to]) =>
      join(possible.map((window): Span => [Math.max(from, window.from), Math.min(to, window.to)])),
    );
    if (next.length === 0) {
      const where = spans.map(([from, to]) => `${from} to ${to}`).join(', ');
      return `${snapshot.what} is no moment: what it shows of ${id} was not so in ${where}, where all before it was.`;
    }
    spans = next;
  }
  return undefined;
}

/**
 * When a plant can have been in each of its states: from the start of the write that made it
 * until the end of the first certain write that started after that write was over.
 */
function findWindows(operations: readonly Operation[]): Window[] {
  const writes = operations.filter(({ result }) => result !== undefined);
  const certain = writes
    .filter(({ isAmbiguous = false }) => !isAmbiguous)
    .sort((one, other) => one.start - other.start);
  // The earliest end among this write and all that started later.
  const earliestEnds = certain.map(({ end }) => end);
  for (let index = earliestEnds.length - 2; index >= 0; index -= 1) {
    earliestEnds[index] = Math.min(earliestEnds[index] ?? Infinity, earliestEnds[index + 1] ?? Infinity);
  }
  const overwrittenAfter = (place: number): number => {
    let [low, high] = [0, certain.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((certain[middle]?.start ?? Infinity) > place) high = middle;
      else low = middle + 1;
    }
    return earliestEnds[low] ?? Infinity;
  };
  const made = writes.map(({ start, end, result = absent }): Window => {
    return { state: result, from: start, to: overwrittenAfter(end) };
  });
  return [{ state: absent, from: -Infinity, to: overwrittenAfter(-Infinity) }, ...made];
}

/** Puts spans that touch together, without those that are empty. */
function join(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const [from, to] of spans.filter(([low, high]) => low <= high).sort(([one], [other]) => one - other)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}
