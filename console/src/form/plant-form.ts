/** What a form contains, as a plant. A text area turns CR into LF: a text that nobody edited is kept as it was. */
import type { Plant, PlantPatch, PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import {
  type EachField,
  pickPlant,
  type PlantField,
  plantFields,
  toPlant as toPlantOf,
} from '../../../src/domain/plant.ts';
import { toJson } from '../../../src/json/to-json.ts';
import { parseId } from '../parse-id.ts';

/** The content of a form, as text: an id keeps every digit. */
export interface Draft extends EachField<string> {
  readonly id: string;
  /** With an empty `tag`: whether the plant has the empty tag, or none. */
  readonly hasEmptyTag: boolean;
  /** The person has agreed to an empty name. */
  readonly hasEmptyName?: boolean;
  /** Of a new plant: the id that the form proposed. */
  readonly suggestedId?: string;
  /** Of a new plant: the tag that it began with. */
  readonly suggestedTag?: string;
  /** Of a new plant that is being saved: the one after it, as it is typed meanwhile. */
  readonly next?: Draft;
  /** What the form started from: a version, or without its ETag, a row of the list. Absent for a new plant. */
  readonly base?: Plant & { readonly etag?: string };
}

export type FieldErrors = Readonly<Partial<Record<'id' | PlantField, string>>>;

/** Maximum length of a name or a tag in code points, as in the service's description. */
const textLengthMax = 1_000;

export const emptyDraft: Draft = { id: '', name: '', tag: '', hasEmptyTag: false };

/** What the form of a plant begins with: the plant as a row of the list shows it, or for a new one, the tag of the list. */
export function toStart(key: bigint | 'new', shown: StoredPlant | undefined, tag?: string | null): Draft {
  if (shown !== undefined) return toDraft({ plant: shown });
  return key === 'new' ? toNextDraft(tag) : { ...emptyDraft, id: String(key) };
}

/** A new plant with the tag of the list, or of the previous plant. */
export function toNextDraft(tag: string | null = ''): Draft {
  return { ...emptyDraft, ...(tag === null || tag === '' ? {} : { tag, suggestedTag: tag }) };
}

/** A stored plant as the API sees it. */
export function toJsonText(plantId: bigint, plant: Plant): string {
  return toJson(pickPlant(plantId, plant));
}

/** @param shown without an ETag: as a row shows it. */
export function toDraft({ plant, etag }: Omit<PlantVersion, 'etag'> & { readonly etag?: string }): Draft {
  // As JSON, a draft cannot have the id as a bigint.
  const { id, ...fields } = pickPlant(plant.id, plant);
  const { name, tag } = fields;
  const base = etag === undefined ? fields : { ...fields, etag };
  return { id: String(id), name, tag: tag ?? '', hasEmptyTag: tag === '', base };
}

/** The plant of the form, without its id. Spaces around what was typed are slips; what is stored with them keeps them. */
export function toPlant({ name, tag, hasEmptyTag, base }: Draft): Plant {
  const ownName = base !== undefined && isSameInField(base.name, name) ? base.name : name.trim();
  const ownTag = base?.tag !== undefined && isSameInField(base.tag, tag) ? base.tag : tag.trim();
  return toPlantOf({ name: ownName, tag: ownTag === '' && !hasEmptyTag ? undefined : ownTag });
}

export interface Merge {
  /** Changed by the form alone: to be written. */
  readonly patch: PlantPatch;
  /** Changed by the form and by someone else, to different values. */
  readonly collisions: readonly PlantField[];
}

/** Merges the form with what is stored now, member by member, against the version that the form started from. */
export function mergeDraft(draft: Draft, stored: Plant): Merge {
  const { base } = draft;
  const mine = toPlant(draft);
  const changed = plantFields.filter((field) => mine[field] !== base?.[field] && mine[field] !== stored[field]);
  const collisions = changed.filter((field) => stored[field] !== base?.[field]);
  const own = changed.filter((field) => !collisions.includes(field));
  return { patch: pickFields(mine, own), collisions };
}

/** The form on top of a newer version: keeps what it changes. */
export function rebaseDraft(draft: Draft, version: PlantVersion): Draft {
  const { patch } = mergeDraft(draft, version.plant);
  const own: Partial<Draft> = Object.fromEntries(
    plantFields.filter((field) => field in patch).map((field) => [field, draft[field]]),
  );
  const { hasEmptyTag } = 'tag' in patch ? draft : toDraft(version);
  return { ...toDraft(version), ...own, hasEmptyTag };
}

/** The patch that sets these fields to those of the plant. */
export function pickFields(plant: Plant, picked: readonly PlantField[]): PlantPatch {
  return Object.fromEntries(picked.map((field) => [field, plant[field] ?? null]));
}

/** Whether the form has changes that are not saved. */
export function isDirty(draft: Draft): boolean {
  if (draft.base !== undefined) return Object.keys(mergeDraft(draft, draft.base).patch).length > 0;
  const { id, suggestedId = '', suggestedTag = '', hasEmptyTag, next } = draft;
  const start = { ...emptyDraft, tag: suggestedTag };
  return (
    next !== undefined ||
    id !== suggestedId ||
    plantFields.some((field) => draft[field] !== start[field]) ||
    hasEmptyTag
  );
}

export function findErrors(draft: Draft): FieldErrors {
  const { id, name, tag, base, hasEmptyName } = draft;
  const isNameless = toPlant(draft).name === '' && base?.name !== '' && hasEmptyName !== true;
  const errors: EachField<FieldErrors> = {
    // The API takes an empty name; in a form it is a slip.
    name: isNameless ? { name: 'Enter a name.' } : toTextError('name', name),
    tag: toTextError('tag', tag),
  };
  const idError = parseId(id.trim()) === undefined ? { id: toIdError(id.trim()) } : {};
  return plantFields.reduce((all, field) => ({ ...all, ...errors[field] }), idError);
}

function toIdError(text: string): string {
  if (text === '') return 'Enter an id: any whole number that is not in use.';
  if (/^-?\d+$/.test(text) && !/^-?0\d/.test(text) && text !== '-0')
    return 'The id must be from -9223372036854775808 to 9223372036854775807.';
  return 'The id must be a whole number in digits without leading zeros, such as 7.';
}

function toTextError(member: PlantField, text: string): FieldErrors {
  const length = [...text].length;
  if (length > textLengthMax)
    return { [member]: `The ${member} has ${length} characters; the maximum is ${textLengthMax}.` };
  if (text.includes('\0')) return { [member]: `The ${member} contains the character U+0000, which cannot be stored.` };
  if (!text.isWellFormed()) return { [member]: `The ${member} contains half of a surrogate pair.` };
  return {};
}

function isSameInField(stored: string, typed: string): boolean {
  return stored.replaceAll(/\r\n?/g, '\n') === typed.replaceAll(/\r\n?/g, '\n');
}
