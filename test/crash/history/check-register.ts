/**
 * Decides whether the operations on one plant are linearizable: whether each can be given one moment between its start and its end
 * such that, in the order of these moments, each response is right. Plants are independent, so each is checked alone.
 *
 * The search follows Wing and Gong ("Testing and Verifying Concurrent Objects", 1993) in the form of Lowe ("Testing for Linearizability",
 * 2017): it goes through starts and ends in order and keeps every configuration that is still possible. An operation is given its
 * moment only when one that must have happened by now needs it, and a configuration is explored only once.
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
    const next = configurations.flatMap((configuration) => place(operation, configuration, running, toKey));
    if (next.length === 0) return explain(operation, configurations, running);
    running.delete(operation);
    configurations = distinct(
      next.map(({ state, done }) => ({ state, done: new Set([...done].filter((each) => each !== operation)) })),
      toKey,
    );
  }
  return undefined;

  function toKey({ state, done }: Configuration): string {
    const sorted = [...done].map((each) => numbers.get(each) ?? -1).sort((one, other) => one - other);
    return `${sorted.join()} ${state}`;
  }
}

/** Every configuration in which the operation has had its moment, or never took place. */
function place(
  operation: Operation,
  configuration: Configuration,
  running: ReadonlySet<Operation>,
  toKey: (configuration: Configuration) => string,
): Configuration[] {
  const from = withReads(configuration, running);
  if (from.done.has(operation)) return [from];
  const found: Configuration[] = operation.isAmbiguous === true ? [from] : [];
  const seen = new Set<string>();
  const open = [from];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    for (const write of running) {
      if (write.result === undefined || current.done.has(write) || !write.accepts(current.state)) continue;
      const next = withReads({ state: write.result, done: new Set([...current.done, write]) }, running);
      const key = toKey(next);
      if (seen.has(key)) continue;
      seen.add(key);
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

function distinct(configurations: readonly Configuration[], toKey: (each: Configuration) => string): Configuration[] {
  return [...new Map(configurations.map((each) => [toKey(each), each])).values()];
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
