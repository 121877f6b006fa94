/** What can be done to many plants, in words. How it is done is in run-batch.ts. */
import {
  type Change,
  makeGroup,
  type PlantClient,
  type PlantFilter,
  type PlantSelection,
  renamePrefix,
  type StoredPlant,
} from '../../../src/client/client.ts';
import { currentCopy, findInCopy } from '../copy/copy.ts';
import { ask, type Question } from '../session/ask.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { toFilterText } from '../ui/filter-text.ts';
import { picked, type Selection } from './picked-plants.ts';
import { type BatchWords, runBatch, unaskedMax, undoBatch } from './run-batch.ts';

/** What an action is done to: some plants by their ids, or all that match a filter. */
export interface Target {
  readonly source: readonly bigint[] | PlantFilter;
  /** Undefined: unknown. */
  readonly total: bigint | undefined;
  /** `118 plants`, `all 20,000 plants with the tag “fern”`. */
  readonly what: string;
  /** The name of the plant if there is only one. */
  readonly onlyName?: string;
}

/** @param all the number of plants in the list, if it is known. */
export function toTarget({ ids, filter }: Selection, all: bigint | undefined): Target {
  if (filter !== undefined) return { source: filter, total: all, what: toFilterText(filter, all) };
  const [first] = ids.size === 1 ? ids : [];
  const only = first === undefined ? undefined : currentCopy.value?.state.rows.get(first)?.plant;
  return {
    source: [...ids],
    total: BigInt(ids.size),
    what: toCount(ids.size, 'plant'),
    ...(only === undefined ? {} : { onlyName: toQuoted(only.name) }),
  };
}

/** Asks first, unless the plants are few. @param plants undefined: unknown. */
export function askAboveFew(plants: bigint | number | undefined, question: Question): void {
  if (plants !== undefined && plants <= unaskedMax) question.onYes();
  else ask(question);
}

/** Asks first, unless there is one plant, or few and all on the screen. @param seen how many are. */
export function deletePlants(client: PlantClient, target: Target, seen: number): void {
  const { source, total, what, onlyName } = target;
  const onYes = (): void => {
    // It would select those that are restored.
    if (picked().selection.value.filter === source) picked().clear();
    void runBatch(client, { action: 'delete', plants: toPlants(source) }, { ...deleting, onlyName }, total);
  };
  const question: Question = { text: `Delete ${what}?`, yes: 'Delete', kind: 'danger', onYes };
  askAboveSeen(target, seen, question, 'You can undo it, also from the Bin.');
}

function askAboveSeen({ total }: Target, seen: number, question: Question, more: string): void {
  const copy = currentCopy.value?.state;
  const hidden = total === undefined || total === 1n ? 0n : total - BigInt(seen);
  const unseen =
    total === undefined && copy?.end !== undefined
      ? ` There are more than ${toCount(copy.rows.size, 'plant')}.`
      : hidden > 0n
        ? ` ${toGrouped(hidden)} of them ${hidden === 1n ? 'is' : 'are'} not on the screen.`
        : '';
  askAboveFew(hidden === 0n ? total : undefined, { ...question, text: `${question.text}${unseen} ${more}` });
}

/** Of what changes tags. */
export const undoText = 'You can undo it, also later in Activity.';

/** Sets or removes the tag of the selected plants; asks first as before a deletion. @param tag undefined removes it. */
export function tagSelected(client: PlantClient, target: Target, tag: string | undefined, seen: number): void {
  const [text, yes] =
    tag === undefined
      ? [`Remove the tag of ${target.what}?`, 'Remove tag']
      : [`Tag ${target.what} with ${toQuoted(tag)}?`, 'Set tag'];
  const onYes = (): void => tagPlants(client, target, tag);
  const lost = tag === undefined ? 0 : countTagged(target, tag);
  const replaced = lost === 0 ? '' : `${toCount(lost, 'plant loses', 'plants lose')} another tag. `;
  askAboveSeen(target, seen, { text, yes, onYes }, `${replaced}${undoText}`);
}

/** How many of the plants that the page has are tagged. @param except with another tag than this one. */
export function countTagged({ source }: Target, except?: string): number {
  if (!(source instanceof Array)) return 0;
  return findInCopy(source).filter(({ tag }) => tag !== undefined && tag !== except).length;
}

const deletingAgain: BatchWords = { doing: 'Deleting', done: ['', ' deleted'], none: 'Nothing was deleted' };
const restored = ['', ' restored'] as const;
const restoringAgain: BatchWords = { doing: 'Restoring', done: restored, none: 'Nothing was restored', isShown: true };
const restoring: BatchWords = { ...restoringAgain, undoing: { ...deletingAgain, undoing: restoringAgain } };
const deleting: BatchWords = { ...deletingAgain, undoing: restoring };

/**
 * @param tag undefined removes it.
 * @param from of a tag that all its plants change: `“a” renamed to`.
 */
export function tagPlants(
  client: PlantClient,
  { source, total, onlyName }: Omit<Target, 'what'>,
  tag: string | undefined,
  from?: string,
): void {
  const selected = { plants: toPlants(source), ...(from === undefined ? {} : { group: makeGroup(renamePrefix) }) };
  if (tag === undefined) void runBatch(client, { action: 'clearTag', ...selected }, { ...untagging, onlyName }, total);
  else {
    const name = toQuoted(tag);
    const done = from === undefined ? (['', ` tagged ${name}`] as const) : ([`${from} ${name}: `, ''] as const);
    const words = { doing: 'Tagging', done, none: 'Nothing was tagged', onlyName };
    void runBatch(client, { action: 'setTag', ...selected, tag }, words, total);
  }
}

const untagging: BatchWords = {
  doing: 'Removing the tag',
  done: ['', ' without a tag now'],
  none: 'No tag was removed',
};

/** Restores deleted plants as they were. */
export async function restorePlants(client: PlantClient, plants: readonly StoredPlant[]): Promise<boolean> {
  const [only] = plants;
  const words = { ...restoring, onlyName: only && toQuoted(only.name) };
  return runBatch(client, { action: 'restore', plants: plants.map(({ id }) => id) }, words, BigInt(plants.length));
}

/** Undoes a batch, and says what that does. @param kind of its changes; undefined: several. */
export async function undoKind(client: PlantClient, group: string, kind?: Change['kind']): Promise<boolean> {
  return undoBatch(client, group, kind === 'deleted' ? restoring : kind === 'created' ? deleting : undefined);
}

/** The service takes no filter without a condition. */
function toPlants(source: Target['source']): PlantSelection {
  if (source instanceof Array) return [...source];
  // As it is: without one of its conditions it would select other plants.
  return Object.keys(source).length === 0 ? { all: true } : (source as PlantSelection);
}
