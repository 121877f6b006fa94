/**
 * What this page writes, and what the change log says of it. A response may come before or after its change in the log, and changes by others
 * between them: the rules are in docs/internals/console.md. Nothing here knows the plants that are shown.
 */
import type { Change, StoredPlant } from '../../../src/client/client.ts';
import { Listeners } from '../observable.ts';
import { isSamePlant, type LoggedChange } from './changes.ts';

/** What a write or a change leads to; undefined: deleted. */
export type State = StoredPlant | undefined;

interface Answered {
  readonly state: State;
  /** The poll of the log that was under way when the response came. */
  readonly poll: number;
}

/** Batches to remember: one runs at a time. */
const groupsMax = 100;

export class OwnWrites {
  /** Called with what a response says, unless the log has said more. */
  onAnswer: (id: bigint, state: State) => void = () => undefined;
  readonly #sent = new Map<bigint, number>();
  /** Of these plants, those whose responses are not shown: the log decides. */
  readonly #leftToLog = new Set<bigint>();
  /** Writes that were answered, until the log has them, by plant. */
  readonly #pending = new Map<bigint, Answered[]>();
  /** What the log said of plants with such writes, last. */
  readonly #outdated = new Map<bigint, State>();
  readonly #groups = new Set<string>();
  readonly #ended = new Listeners<undefined>();
  #poll = 0;

  /** Nothing waits for a response or for the log. */
  get isIdle(): boolean {
    return this.#sent.size + this.#leftToLog.size + this.#pending.size + this.#outdated.size === 0;
  }

  /** A change is not shown, since it looks outdated by a write: the log decides, at once. */
  get isUnsure(): boolean {
    return this.#outdated.size > 0;
  }

  send(id: bigint): void {
    const before = this.#sent.get(id) ?? 0;
    // The order of their responses need not be that of the writes: the log decides.
    if (before > 0) this.#leftToLog.add(id);
    this.#sent.set(id, before + 1);
  }

  /** Call with the response. @param hasChanged false: the log has no change for it. */
  answer(id: bigint, state: State, hasChanged: boolean): void {
    if (!this.#leftToLog.has(id)) {
      if (hasChanged) this.#pending.set(id, [...(this.#pending.get(id) ?? []), { state, poll: this.#poll }]);
      this.onAnswer(id, state);
    }
    this.fail(id);
  }

  /** Call when there is no response: if the write was done, the log says it. */
  fail(id: bigint): void {
    const left = (this.#sent.get(id) ?? 1) - 1;
    if (left > 0) this.#sent.set(id, left);
    else {
      this.#sent.delete(id);
      this.#leftToLog.delete(id);
    }
    this.#ended.call(undefined);
  }

  /** Call for a batch or an import of this page. */
  claimGroup(group: string): void {
    this.#groups.add(group);
    for (const oldest of this.#groups) if (this.#groups.size > groupsMax) this.#groups.delete(oldest);
  }

  /** No request about these plants is under way. */
  isSettled(ids: ReadonlySet<bigint>): boolean {
    return [...this.#sent.keys()].every((id) => !ids.has(id));
  }

  async settle(ids: ReadonlySet<bigint>): Promise<void> {
    await new Promise<void>((resolve) => {
      const stop = this.#ended.add(() => {
        if (!this.isSettled(ids)) return;
        stop();
        resolve();
      });
    });
  }

  /** Call with each change of the log, in its order. */
  claim({ id, plant, group }: Pick<Change, 'id' | 'plant' | 'group'>): Pick<LoggedChange, 'isOwn' | 'isOutdated'> {
    if (this.#sent.has(id)) this.#leftToLog.add(id);
    const pending = this.#pending.get(id) ?? [];
    const at = pending.findIndex(({ state }) => isSamePlant(state, plant));
    const left = pending.slice(at + 1);
    if (left.length > 0) {
      this.#pending.set(id, left);
      this.#outdated.set(id, plant);
    } else this.#forget(id);
    return { isOwn: at >= 0 || (group !== undefined && this.#groups.has(group)), isOutdated: left.length > 0 };
  }

  /** What is to be shown of a plant that was read: a write of this page may be newer. */
  newest(id: bigint, read: State): State {
    const last = this.#pending.get(id)?.at(-1);
    return last === undefined ? read : last.state;
  }

  /** The plants with writes that the log does not have yet. */
  get pendingIds(): readonly bigint[] {
    return [...this.#pending.keys()];
  }

  startPoll(): void {
    this.#poll++;
  }

  /**
   * Call when a poll found nothing more: the log has all writes that were answered before it was sent. What it does not have changed nothing.
   * Returns what is stored where that hid a change.
   */
  endPoll(): readonly (readonly [bigint, State])[] {
    const found: [bigint, State][] = [];
    for (const [id, pending] of this.#pending) {
      const left = pending.filter(({ poll }) => poll >= this.#poll);
      if (left.length > 0) this.#pending.set(id, left);
      else {
        if (this.#outdated.has(id)) found.push([id, this.#outdated.get(id)]);
        this.#forget(id);
      }
    }
    return found;
  }

  /** Call when everything is read again, after the position from which the log is followed is known. */
  startAgain(): void {
    this.#pending.clear();
    this.#outdated.clear();
    // Whether the position is before or after these writes, nobody knows: what is read, or the log, has them.
    for (const id of this.#sent.keys()) this.#leftToLog.add(id);
  }

  #forget(id: bigint): void {
    this.#pending.delete(id);
    this.#outdated.delete(id);
  }
}
