/** The tools: names and descriptions for the model, and what each does. Ids are strings. */
import type { Batch, Change, PlantClient, PlantPatch, StoredPlant } from '../client/client.ts';
import { errors } from '../domain/error-registry.ts';
import { type EachField, pickPatch, plantFields, toStoredPlant } from '../domain/plant.ts';
import {
  type Arguments,
  choiceArgument,
  flagArgument,
  idArgument,
  idsArgument,
  type InputSchema,
  limitArgument,
  limitDefault,
  optional,
  readArguments,
  textArgument,
  ToolError,
  toInputSchema,
  type ValuesOf,
  versionArgument,
} from './arguments.ts';
import { readPage, readShort } from './read-page.ts';

type Result = Record<string, unknown>;

export interface Tool {
  readonly name: string;
  /** Offered only if the user allows changes. */
  readonly isWrite: boolean;
  /** The description that `tools/list` returns. */
  readonly description: { readonly name: string; readonly inputSchema: InputSchema } & Result;
  /** @throws ToolError for arguments that cannot be used; otherwise what the client throws. */
  readonly call: (given: Readonly<Result>, client: PlantClient, signal: AbortSignal) => Promise<Result>;
}

interface Definition<Wanted extends Arguments> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Hints for the client (specification, "ToolAnnotations"). Absent: the tool only reads. */
  readonly hints?: { readonly destructiveHint: boolean; readonly idempotentHint: boolean };
  readonly wanted: Wanted;
  readonly run: (values: ValuesOf<Wanted>, client: PlantClient, signal: AbortSignal) => Promise<Result>;
}

function defineTool<Wanted extends Arguments>(definition: Definition<Wanted>): Tool {
  const { name, title, description, hints, wanted, run } = definition;
  const annotations = { readOnlyHint: hints === undefined, ...hints, openWorldHint: false };
  return {
    name,
    isWrite: hints !== undefined,
    description: { name, title, description, inputSchema: toInputSchema(wanted), annotations },
    call: async (given, client, signal) => run(readArguments(wanted, given), client, signal),
  };
}

const next = optional(textArgument('To continue: "next" of an earlier result, without other arguments'));
const tag = optional(textArgument('Exactly this tag; "" is the empty tag'));
const name = textArgument('The name, of at most 1,000 characters');
/** The arguments of each field: for a new plant, and for a change. */
const newFields = {
  name,
  tag: optional(textArgument('The tag, if any, of at most 1,000 characters')),
} satisfies EachField<unknown>;
const changedFields = {
  name: optional(name),
  tag: optional(textArgument('The new tag, of at most 1,000 characters; "" is a tag, too')),
} satisfies EachField<unknown>;

const actions: Readonly<Record<Batch['action'], true>> = {
  setTag: true,
  clearTag: true,
  delete: true,
  restore: true,
  undo: true,
};

export const tools: readonly Tool[] = [
  defineTool({
    name: 'search_plants',
    title: 'Search plants',
    description: 'Lists plants by id, all of them or those that match. "next" in the result: there are more.',
    wanted: {
      search: optional(textArgument('Parts of words of the name or the tag, ignoring case and accents')),
      name: optional(textArgument('Words that begin words of the name, ignoring case and accents')),
      tag,
      limit: limitArgument,
      next,
    },
    run: async ({ limit = limitDefault, ...given }, client, signal) => {
      const { next: address, ...filter } = given;
      const page = await readPage(given, limit, (start, pageSize) =>
        client.listPage(start ?? { ...filter, pageSize }, { signal }),
      );
      return { plants: page.items.map(toPlant), next: page.next };
    },
  }),
  defineTool({
    name: 'get_plant',
    title: 'Get a plant',
    description: 'Returns one plant, and the etag of this version of it.',
    wanted: { id: idArgument },
    run: async ({ id }, client, signal) => {
      const found = await client.get(id, { signal });
      if (found === undefined) throw noPlant();
      return { ...toPlant(found.plant), etag: found.etag };
    },
  }),
  defineTool({
    name: 'list_tags',
    title: 'List tags',
    description: 'Lists the tags in use, each with the number of its plants.',
    wanted: { prefix: optional(textArgument('Only tags that begin with exactly this')), limit: limitArgument, next },
    run: async ({ limit = limitDefault, ...given }, client, signal) => {
      const { prefix } = given;
      const page = await readPage(given, limit, (start, pageSize) =>
        client.tagsPage(start ?? { prefix, pageSize }, { signal }),
      );
      return { tags: page.items, next: page.next };
    },
  }),
  defineTool({
    name: 'list_changes',
    title: 'List changes',
    description:
      'Lists what changed, when, and by which token: newest first, or oldest first. To continue, pass "position" of the result as "after", with the same order.',
    wanted: {
      id: optional(idArgument),
      tag: optional(textArgument('The plant has exactly this tag, or had it before')),
      kind: optional(choiceArgument('Only these', ['created', 'replaced', 'deleted'])),
      order: optional(choiceArgument('desc (default): newest first', ['desc', 'asc'])),
      after: optional(textArgument('A position: only older changes with desc, newer ones with asc')),
      limit: limitArgument,
    },
    run: async ({ limit = limitDefault, order = 'desc', ...given }, client, signal) => {
      const { items, position } = await readShort(limit, (pageSize) =>
        client.changesPage({ ...given, order, pageSize }, { signal }),
      );
      return { changes: items.map(toChange), position };
    },
  }),
  defineTool({
    name: 'create_plant',
    title: 'Create a plant',
    description: `Creates a plant with an id that you choose. Safe to repeat; fails with error ${errors.plant_id_taken.number} if another plant has the id.`,
    hints: { destructiveHint: false, idempotentHint: true },
    wanted: { id: idArgument, ...newFields },
    run: async (given, client, signal) => {
      const plant = toStoredPlant(given.id, given);
      const { replayed } = await client.create(plant, { signal });
      return { ...toPlant(plant), created: !replayed };
    },
  }),
  defineTool({
    name: 'update_plant',
    title: 'Update a plant',
    description: 'Changes the given fields of one plant.',
    hints: { destructiveHint: true, idempotentHint: true },
    wanted: {
      id: idArgument,
      ...changedFields,
      remove_tag: optional(flagArgument('true removes the tag')),
      if_match: versionArgument,
    },
    run: async ({ id, if_match: ifMatch, remove_tag: removesTag = false, ...given }, client, signal) => {
      if (removesTag && given.tag !== undefined) throw new ToolError('Give either tag or remove_tag, not both');
      const patch = pickPatch({ ...given, ...(removesTag ? { tag: null } : {}) } as PlantPatch);
      if (Object.keys(patch).length === 0)
        throw new ToolError(`Give at least one of ${plantFields.join(', ')} and remove_tag`);
      const { plant, etag } = await client.patch(id, patch, { ifMatch, signal });
      return { ...toPlant(plant), etag };
    },
  }),
  defineTool({
    name: 'delete_plant',
    title: 'Delete a plant',
    description: 'Deletes one plant.',
    hints: { destructiveHint: true, idempotentHint: true },
    wanted: { id: idArgument, if_match: versionArgument },
    run: async ({ id, if_match: ifMatch }, client, signal) => {
      if (!(await client.delete(id, { ifMatch, signal }))) throw noPlant();
      return { deleted: id.toString() };
    },
  }),
  defineTool({
    name: 'batch_plants',
    title: 'Change many plants',
    description:
      'Does one action to the plants with these ids, or to all that match with_tag and with_search. "undo" gives the plants of an earlier group the state that they had before. "group" in the result: what to undo.',
    hints: { destructiveHint: true, idempotentHint: true },
    wanted: {
      action: choiceArgument('What to do', Object.keys(actions)),
      ids: optional(idsArgument),
      with_tag: tag,
      with_search: optional(textArgument('As "search" of search_plants')),
      tag: optional(textArgument('For setTag: the new tag')),
      undoes: optional(textArgument('For undo: the group')),
    },
    run: async ({ ids, with_tag: tag, with_search: search, ...given }, client, signal) => {
      const plants = ids ?? (tag === undefined && search === undefined ? undefined : { tag, search });
      if (plants === undefined ? given.action !== 'undo' : plants === ids && (tag ?? search) !== undefined)
        throw new ToolError('Give either ids, or at least one of with_tag and with_search');
      // What else an action needs, the service says.
      const batch = { ...given, plants } as Batch;
      const { errors, ...report } = await client.batch(batch, { signal });
      return { ...report, errors: errors.map(({ id, ...error }) => ({ id: id.toString(), ...error })) };
    },
  }),
];

function toPlant({ id, ...fields }: StoredPlant): Result {
  return { id: id.toString(), ...fields };
}

function toChange({ id, plant, before, ...rest }: Change): Result {
  return {
    id: id.toString(),
    ...rest,
    plant: plant === undefined ? undefined : toPlant(plant),
    before: before === undefined ? undefined : toPlant(before),
  };
}

function noPlant(): ToolError {
  const { message, number } = errors.plant_unknown;
  return new ToolError(`${message} (error ${number})`, number);
}
