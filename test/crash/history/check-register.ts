/**
 * Decides whether the operations on one plant are linearizable: whether each can be given one moment between its start and its end
 * such that, in the order of these moments, each response is right. Plants are independent, so each is checked alone.
 *
 * The search follows Wing and Gong ("Testing and Verifying Concurrent Objects", 1993) in the form of Lowe ("Testing for Linearizability",
 * 2017): it goes through starts and ends in order and keeps every configuration that is still possible. An operation is given its
 * moment only when one that must have happened by now needs it, and a configuration is explored only once. Of two that differ in the
 * writes alone that may have failed, the one in which fewer took place is enough: a kill leaves many of those, whose subsets are too many.
 */
import { absent, type Operation, type State } from './operation.ts';

interface Configuration {
  readonly state: State;
  /** Running operations that have had their moment. */
  readonly done: ReadonlySet<Operation>;
}

/** Undefined when the operations are linearizable; else which operation cannot be placed, and among which others. */
export function checkRegister(operations: readonly Operation[]): string | undefined {
  const numbers = new Map(operations.map((operation, index) => [operation, index]));
  const events = operations
    .flatMap((operation) => [
      { at: operation.start, operation, isEnd: false },
      { at: operation.end, operation, isEnd: true },
    ])
    .sort((one, other) => (one.at === other.at ? 0 : one.at - other.at));
  const running = new Set<Operation>();
  let configurations: Configuration[] = [{ state: absent, done: new Set() }];
  for (const { operation, isEnd } of events) {
    if (!isEnd) {
      running.add(operation);
      continue;
    }
    const next = configurations.flatMap((configuration) =>
      place(operation, configuration, running, new Explored(numbers)),
    );
    if (next.length === 0) return explain(operation, configurations, running);
    running.delete(operation);
    const explored = new Explored(numbers);
    configurations = next
      .map(({ state, done }) => ({ state, done: new Set([...done].filter((each) => each !== operation)) }))
      .sort((one, other) => one.done.size - other.done.size)
      .filter((each) => explored.add(each));
  }
  return undefined;
}

class Explored {
  readonly #numbers: ReadonlyMap<Operation, number>;
  /** The writes that may have failed and took place, by all else of a configuration. */
  readonly #taken = new Map<string, ReadonlySet<Operation>[]>();

  constructor(numbers: ReadonlyMap<Operation, number>) {
    this.#numbers = numbers;
  }

  /** False if one that was added before can become all that this one can. */
  add({ state, done }: Configuration): boolean {
    const taken = new Set([...done].filter(({ isAmbiguous = false }) => isAmbiguous));
    const others = [...done].filter((each) => !taken.has(each)).map((each) => this.#numbers.get(each) ?? -1);
    const key = `${others.sort((one, other) => one - other).join()} ${state}`;
    const before = this.#taken.get(key) ?? [];
    if (before.some((each) => each.isSubsetOf(taken))) return false;
    this.#taken.set(key, [...before, taken]);
    return true;
  }
}

/** Every configuration in which the operation has had its moment, or never took place. */
function place(
  operation: Operation,
  configuration: Configuration,
  running: ReadonlySet<Operation>,
  explored: Explored,
): Configuration[] {
  const from = withReads(configuration, running);
  if (from.done.has(operation)) return [from];
  const found: Configuration[] = operation.isAmbiguous === true ? [from] : [];
  // States after fewer writes come first.
  const open = [from];
  for (const current of open) {
    for (const write of running) {
      if (write.result === undefined || current.done.has(write) || !write.accepts(current.state)) continue;
      const next = withReads({ state: write.result, done: new Set([...current.done, write]) }, running);
      if (!explored.add(next)) continue;
      (next.done.has(operation) ? found : open).push(next);
    }
  }
  return found;
}

/** Gives each running read that is right in this state its moment: a read changes nothing, so a later moment is never better. */
function withReads({ state, done }: Configuration, running: ReadonlySet<Operation>): Configuration {
  const reads = [...running].filter((each) => each.result === undefined && !done.has(each) && each.accepts(state));
  return reads.length === 0 ? { state, done } : { state, done: new Set([...done, ...reads]) };
}

function explain(operation: Operation, before: readonly Configuration[], running: ReadonlySet<Operation>): string {
  const states = [...new Set(before.map(({ state }) => JSON.stringify(state)))].slice(0, 8);
  const others = [...running].filter((each) => each !== operation).map(({ what }) => what);
  return [
    `${operation.what} has no moment at which its response was right.`,
    `Possible before: ${states.join(' or ')}.`,
    `Running: ${others.length === 0 ? 'nothing else' : others.slice(0, 12).join('; ')}.`,
  ].join(' ');
}
