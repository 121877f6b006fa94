/**
 * Decides whether the change log explains a history: every write that was acknowledged is in it exactly once, nothing else is, and
 * its order is one in which each write took place while it ran and each read saw what was written last. The moments of the writes are
 * bounded from both sides: a change is not earlier than its request and the changes before it, and not later than its response and the
 * changes after it.
 */
import { absent, type History, type Operation, type State } from './operation.ts';

/** What each change of one plant left, in the order of the log. */
export type Log = ReadonlyMap<bigint, readonly State[]>;

/** Returns a line for each violation. */
export function checkLog({ operations, snapshots }: History, log: Log): string[] {
  const ids = new Set([...operations.keys(), ...log.keys()]);
  return [...ids].flatMap((id) => {
    const reads = snapshots.map(({ what, start, end, accepts }): Operation => {
      return { what, start, end, accepts: (state) => accepts(id, state) };
    });
    const found = checkPlant([...(operations.get(id) ?? []), ...reads], log.get(id) ?? []);
    return found.map((line) => `Plant ${id}: ${line}`);
  });
}

function checkPlant(operations: readonly Operation[], states: readonly State[]): string[] {
  const writes = Map.groupBy(
    operations.filter(({ result }) => result !== undefined),
    ({ result = absent }) => result,
  );
  const found = checkContent(writes, states);
  if (found.length > 0) return found;
  const earliest = [-Infinity];
  for (const state of states) earliest.push(Math.max(earliest.at(-1) ?? -Infinity, startOf(writes.get(state), state)));
  const latest = [Infinity];
  for (const state of states.toReversed())
    latest.unshift(Math.min(latest[0] ?? Infinity, endOf(writes.get(state), state)));
  // The change at `index` left `states[index]`; its earliest moment has the number after it.
  const contradicted = states.findIndex((_, index) => (earliest[index + 1] ?? 0) > (latest[index] ?? 0));
  if (contradicted !== -1) return [`the log has ${show(states[contradicted])} too late or too early`];
  return operations
    .filter(({ result }) => result === undefined)
    .filter((read) => {
      const isSeen = (state: State, index: number): boolean =>
        read.accepts(state) && (earliest[index] ?? 0) <= read.end && (latest[index] ?? Infinity) >= read.start;
      return ![absent, ...states].some(isSeen);
    })
    .map(({ what }) => `${what} saw what the log does not explain`);
}

function checkContent(writes: ReadonlyMap<State, readonly Operation[]>, states: readonly State[]): string[] {
  const found: string[] = [];
  const counts = new Map<State, number>();
  states.forEach((state, index) => {
    counts.set(state, (counts.get(state) ?? 0) + 1);
    if (state === (states[index - 1] ?? absent)) found.push(`the log has ${show(state)} after the same`);
    if (!writes.has(state)) found.push(`the log has ${show(state)}, which nobody wrote`);
  });
  for (const [state, of] of writes) {
    const certain = of.filter(({ isAmbiguous = false }) => !isAmbiguous).length;
    const count = counts.get(state) ?? 0;
    if (count < certain) found.push(`the log has ${show(state)} ${count} times, of ${certain} that were acknowledged`);
    if (count > of.length) found.push(`the log has ${show(state)} ${count} times, of ${of.length} that were sent`);
  }
  return found;
}

/** Deletions look alike, so nothing is known of when one of them took place. A create may be sent again after a deletion. */
function startOf(writes: readonly Operation[] = [], state: State): number {
  return state === absent ? -Infinity : Math.min(...writes.map(({ start }) => start));
}

function endOf(writes: readonly Operation[] = [], state: State): number {
  return state === absent ? Infinity : Math.max(...writes.map(({ end }) => end));
}

function show(state: State | undefined): string {
  return state === absent ? 'a deletion' : `"${state}"`;
}
