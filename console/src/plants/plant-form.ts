/** What a form holds, as the plant that it means. A text area turns CR into LF: a text that nobody changed is kept as it was. */
import type { Plant, PlantPatch, PlantVersion } from '../../../src/client/client.ts';
import { parseId } from '../parse-id.ts';
import type { Draft } from '../session/drafts.ts';

export interface Faults {
  readonly id?: string;
  readonly name?: string;
  readonly tag?: string;
}

/** Most code points of a name or a tag, as the service's description says. */
const textLengthMax = 1_000;

export const emptyDraft: Draft = { id: '', name: '', tag: '', hasEmptyTag: false };

export function toDraft({ plant: { id, name, tag }, etag }: PlantVersion): Draft {
  return {
    id: String(id),
    name,
    tag: tag ?? '',
    hasEmptyTag: tag === '',
    base: { name, ...(tag === undefined ? {} : { tag }), etag },
  };
}

/** The plant that the form means, less its id. */
export function toPlant({ name, tag, hasEmptyTag, base }: Draft): Plant {
  const ownName = base !== undefined && isSameInField(base.name, name) ? base.name : name;
  const ownTag = base?.tag !== undefined && isSameInField(base.tag, tag) ? base.tag : tag;
  return ownTag === '' && !hasEmptyTag ? { name: ownName } : { name: ownName, tag: ownTag };
}

/** What the form changes; undefined: nothing. */
export function toPatch(draft: Draft): PlantPatch | undefined {
  const { base } = draft;
  const plant = toPlant(draft);
  if (base === undefined) return plant;
  const patch = {
    ...(plant.name === base.name ? {} : { name: plant.name }),
    ...(plant.tag === base.tag ? {} : { tag: plant.tag ?? null }),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Whether somebody typed something that is not saved. */
export function isDirty(draft: Draft): boolean {
  if (draft.base !== undefined) return toPatch(draft) !== undefined;
  return draft.id !== '' || draft.name !== '' || draft.tag !== '' || draft.hasEmptyTag;
}

export function findFaults({ id, name, tag }: Draft): Faults {
  return {
    ...(parseId(id.trim()) === undefined ? { id: toIdFault(id.trim()) } : {}),
    ...toTextFault('name', name),
    ...toTextFault('tag', tag),
  };
}

function toIdFault(text: string): string {
  if (text === '') return 'Enter an id: a whole number that no other plant has.';
  if (/^-?\d+$/.test(text) && !/^-?0\d/.test(text) && text !== '-0')
    return 'The id must be from -9223372036854775808 to 9223372036854775807.';
  return 'The id must be a whole number in digits, such as 7.';
}

function toTextFault(member: 'name' | 'tag', text: string): Faults {
  const length = [...text].length;
  if (length > textLengthMax)
    return { [member]: `The ${member} has ${length} characters; ${textLengthMax} is the most.` };
  if (text.includes('\0')) return { [member]: `The ${member} holds the character U+0000, which cannot be stored.` };
  if (!text.isWellFormed()) return { [member]: `The ${member} holds half of a character.` };
  return {};
}

function isSameInField(stored: string, typed: string): boolean {
  return stored.replaceAll(/\r\n?/g, '\n') === typed.replaceAll(/\r\n?/g, '\n');
}
