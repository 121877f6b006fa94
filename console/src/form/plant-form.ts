/** What a form contains, as a plant. A text area turns CR into LF: a text that nobody edited is kept as it was. */
import {
  type EachField,
  pickPlant,
  type Plant,
  type PlantField,
  plantFields,
  type PlantPatch,
  type PlantVersion,
  toPlant as toPlantOf,
} from '../../../src/client/client.ts';
import { parseTypedId } from '../parse-id.ts';

/** The content of a form, as text: an id keeps every digit. */
export interface Draft extends EachField<string> {
  readonly id: string;
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

export const emptyDraft: Draft = { id: '', name: '', tag: '' };

/** A new plant with the tag of the list, or of the previous plant. */
export function toNextDraft(tag: string | null = ''): Draft {
  return { ...emptyDraft, ...(tag === null || tag === '' ? {} : { tag, suggestedTag: tag }) };
}

/** Without an ETag: as a row of the list shows it. */
export function toDraft({ plant, etag }: Omit<PlantVersion, 'etag'> & { readonly etag?: string }): Draft {
  // As JSON, a draft cannot have the id as a bigint.
  const { id, ...fields } = pickPlant(plant.id, plant);
  const { name, tag } = fields;
  const base = etag === undefined ? fields : { ...fields, etag };
  return { id: String(id), name, tag: tag ?? '', base };
}

/** The version that the form started from; undefined: what a row of the list showed, whose version is not known. */
export function toVersion(id: bigint, { base }: Draft): PlantVersion | undefined {
  return base?.etag === undefined ? undefined : { plant: pickPlant(id, base), etag: base.etag };
}

/** The plant of the form, without its id. An empty field is no tag, unless the empty tag is stored, and was not replaced. */
export function toPlant({ name, tag, base }: Draft): Plant {
  const ownTag = toOwn(base?.tag, tag);
  return toPlantOf({ name: toOwn(base?.name, name), tag: ownTag === '' && base?.tag !== '' ? undefined : ownTag });
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
  const own = plantFields.filter((field) => field in patch).map((field) => [field, draft[field]]);
  return { ...toDraft(version), ...(Object.fromEntries(own) as Partial<Draft>) };
}

export function pickFields(plant: Plant, picked: readonly PlantField[]): PlantPatch {
  return Object.fromEntries(picked.map((field) => [field, plant[field] ?? null]));
}

export function isDirty(draft: Draft): boolean {
  if (draft.base !== undefined) return Object.keys(mergeDraft(draft, draft.base).patch).length > 0;
  const { id, suggestedId = '', suggestedTag = '', next } = draft;
  const start = { ...emptyDraft, tag: suggestedTag };
  return next !== undefined || id !== suggestedId || plantFields.some((field) => draft[field] !== start[field]);
}

/** Whether the id is the one that the form proposed: if it is taken, another one will do. */
export function hasSuggestedId({ id, suggestedId = '' }: Draft): boolean {
  return parseTypedId(id) === parseTypedId(suggestedId);
}

export function findErrors(draft: Draft): FieldErrors {
  const { id, name, tag, base } = draft;
  // The API takes an empty name, and a stored plant may have it; to be typed, it is a slip.
  const isNameless = toPlant(draft).name === '' && base?.name !== '';
  const errors: EachField<string | undefined> = {
    name: isNameless ? 'Enter a name.' : toTextError('name', name),
    tag: toTextError('tag', tag),
  };
  const all = { id: toIdError(id.trim()), ...errors };
  return Object.fromEntries(Object.entries(all).filter(([, error]) => error !== undefined));
}

function toIdError(text: string): string | undefined {
  if (parseTypedId(text) !== undefined) return undefined;
  if (text === '') return 'Enter an id: any whole number that is not in use.';
  if (/^-?\d*[1-9]\d*$/.test(text)) return 'The id must be from -9223372036854775808 to 9223372036854775807.';
  return 'The id must be a whole number in digits, such as 7.';
}

function toTextError(member: PlantField, text: string): string | undefined {
  const length = [...text].length;
  if (length > textLengthMax) return `The ${member} has ${length} characters; the maximum is ${textLengthMax}.`;
  if (text.includes('\0')) return `The ${member} contains the character U+0000, which cannot be stored.`;
  return text.isWellFormed() ? undefined : `The ${member} contains half of a surrogate pair.`;
}

/** Spaces around what was typed are slips; what is stored with them keeps them. */
function toOwn(stored: string | undefined, typed: string): string {
  return stored !== undefined && toLines(stored) === toLines(typed) ? stored : typed.trim();
}

function toLines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}
