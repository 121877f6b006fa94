/** A model of the plants as a plain Map: the outcome of each write, and later finds. Generates random writes for model and store. */
import fc from 'fast-check';
import { plantFields } from '../../src/domain/plant.ts';
import type { NewPlant, PlantPatch, StoredPlant, TagCount } from '../../src/domain/schemas.ts';
import type {
  Condition,
  EditOutcome,
  ImportRules,
  PlantEdit,
  ListFilter,
  PlantStore,
  RowOutcome,
} from '../../src/domain/store.ts';
import { hasWord, toWantedWords, toWordTerms } from '../../src/store/search-terms.ts';
import { otherFields } from '../support/field-values.ts';

/** The version in a condition: `match` is the plant's own, `miss` another one. */
type Version = '*' | 'match' | 'miss';

export type RandomWrite =
  | { readonly kind: 'create'; readonly plant: NewPlant }
  | { readonly kind: 'put'; readonly plant: NewPlant; readonly ifMatch?: Version; readonly ifNoneMatch?: Version }
  | {
      readonly kind: 'patch';
      readonly id: bigint;
      readonly patch: PlantPatch;
      readonly ifMatch?: Version;
      readonly ifNoneMatch?: Version;
    }
  | { readonly kind: 'delete'; readonly id: bigint; readonly ifMatch?: Version; readonly ifNoneMatch?: Version }
  | { readonly kind: 'import'; readonly rows: readonly NewPlant[]; readonly rules: ImportRules }
  | { readonly kind: 'edit'; readonly rows: readonly RandomEdit[] };

interface RandomEdit {
  readonly id: bigint;
  /** What the edit expects: the plant as it is, none, another one, or anything. */
  readonly from: 'stored' | 'none' | 'other' | 'any';
  readonly to: PlantPatch | null;
}

/** The values of random writes: few of each, so that they collide. */
interface Choices {
  readonly ids: readonly bigint[];
  readonly names: readonly string[];
  readonly tags: readonly string[];
}

const version = fc.constantFrom<Version>('*', 'match', 'miss');
const rules = fc.record({ onConflict: fc.constantFrom('fail', 'skip', 'replace'), dryRun: fc.boolean() });

function writeOf<Kind extends string, Others extends object>(
  kind: Kind,
  others: { [Key in keyof Others]: fc.Arbitrary<Others[Key]> },
): fc.Arbitrary<{ kind: Kind } & Others & { ifMatch?: Version; ifNoneMatch?: Version }> {
  const conditions = fc.record({ ifMatch: version, ifNoneMatch: version }, { requiredKeys: [], noNullPrototype: true });
  return fc
    .tuple(fc.record(others, { noNullPrototype: true }), fc.oneof(fc.constant({}), conditions))
    .map(([fields, condition]) => ({ kind, ...(fields as Others), ...condition }));
}

export function toRandomWrite({ ids, names, tags }: Choices): fc.Arbitrary<RandomWrite> {
  const [id, name, tag] = [fc.constantFrom(...ids), fc.constantFrom(...names), fc.constantFrom(...tags)];
  const others = Object.fromEntries(otherFields.map(([field, values]) => [field, fc.constantFrom(...values)]));
  const removable = Object.fromEntries(
    Object.entries({ ...others, tag }).map(([field, each]) => [field, fc.option(each)]),
  );
  const plant: fc.Arbitrary<NewPlant> = fc.record(
    { id, name, tag, ...others },
    { requiredKeys: ['id', 'name'], noNullPrototype: true },
  );
  const patch: fc.Arbitrary<PlantPatch> = fc.record(
    { name, ...removable },
    { requiredKeys: [], noNullPrototype: true },
  );
  const whole: fc.Arbitrary<PlantPatch> = fc.record({ name, ...removable }, { noNullPrototype: true });
  const from = fc.constantFrom('stored', 'stored', 'none', 'other', 'any');
  const edit = fc.oneof(
    fc.record({ id, from, to: fc.oneof(whole, fc.constant(null)) }),
    fc.record({ id, from: fc.constantFrom('stored', 'any'), to: patch }),
  );
  return fc.oneof(
    fc.array(edit, { maxLength: 6 }).map((rows) => ({ kind: 'edit', rows }) as const),
    plant.map((each) => ({ kind: 'create', plant: each }) as const),
    writeOf('put', { plant }),
    writeOf('patch', { id, patch }),
    writeOf('delete', { id }),
    fc
      .tuple(fc.array(plant, { maxLength: 6 }), rules)
      .map(([rows, each]) => ({ kind: 'import', rows, rules: each }) as const),
  );
}

export const randomWrite = toRandomWrite({
  ids: [-(2n ** 63n), -2n, -1n, 0n, 1n, 2n, 2n ** 63n - 1n],
  names: ['', 'a', 'A', 'b', '\u00e4', '\u0308', 'Ab b', 'b abc'],
  tags: ['', 't', 'T', '\uffff', '🌱'],
});

/** The result of a write, or the code of its refusal. */
export type Outcome = string | StoredPlant | readonly RowOutcome[] | readonly EditOutcome[] | undefined;

export class PlantModel {
  readonly plants = new Map<bigint, StoredPlant>();
  readonly #versionOf: (plant: StoredPlant) => string;

  constructor({ versionOf }: Pick<PlantStore, 'versionOf'>) {
    this.#versionOf = versionOf;
  }

  /** Converts the write to a call of the port, with versions of its condition as of now. */
  toCall(write: RandomWrite): (plants: PlantStore) => Promise<unknown> {
    switch (write.kind) {
      case 'create':
        return (plants) => plants.create(write.plant);
      case 'put': {
        const condition = this.#toCondition(write.plant.id, write);
        return (plants) => plants.put(write.plant, condition);
      }
      case 'patch': {
        const condition = this.#toCondition(write.id, write);
        return (plants) => plants.patch(write.id, write.patch, condition);
      }
      case 'delete': {
        const condition = this.#toCondition(write.id, write);
        return (plants) => plants.delete(write.id, condition);
      }
      case 'import':
        return (plants) => plants.import(write.rows, write.rules);
      case 'edit': {
        const edits = write.rows.map((row) => this.#toEdit(row));
        return (plants) => plants.edit(edits, 'model');
      }
    }
  }

  /** Applies the write and returns its outcome. */
  apply(write: RandomWrite): Outcome {
    switch (write.kind) {
      case 'create':
        return this.#create(write.plant);
      case 'put': {
        const stored = this.plants.get(write.plant.id);
        if (!allows(write, stored)) return 'precondition_failed';
        this.plants.set(write.plant.id, write.plant);
        if (stored === undefined) return 'created';
        return areEqual(stored, write.plant) ? 'unchanged' : 'replaced';
      }
      case 'patch': {
        const stored = this.plants.get(write.id);
        if (stored === undefined) return 'plant_unknown';
        if (!allows(write, stored)) return 'precondition_failed';
        const patched = withoutNulls({ ...stored, ...write.patch });
        this.plants.set(write.id, patched);
        return patched;
      }
      case 'delete': {
        const stored = this.plants.get(write.id);
        if (stored === undefined) return 'plant_unknown';
        if (!allows(write, stored)) return 'precondition_failed';
        this.plants.delete(write.id);
        return undefined;
      }
      case 'import':
        return write.rows.map((row) => this.#importRow(row, write.rules));
      case 'edit':
        return write.rows.map((row) => this.#toEdit(row)).map((row) => this.#edit(row));
    }
  }

  list({ tag: wanted, untagged = false, ...filter }: ListFilter = {}): StoredPlant[] {
    const words = toWantedWords(filter);
    return [...this.plants.values()]
      .filter((each) => wanted === undefined || each.tag === wanted)
      .filter((each) => !untagged || each.tag === undefined)
      .filter((each) => words.every((word) => hasWord(toWordTerms(each), word)))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  listTags(): TagCount[] {
    const counts = new Map<string, bigint>();
    for (const each of this.plants.values()) {
      if (each.tag !== undefined) counts.set(each.tag, (counts.get(each.tag) ?? 0n) + 1n);
    }
    return [...counts]
      .map(([each, plants]) => ({ tag: each, plants }))
      .sort((one, other) => Buffer.compare(Buffer.from(one.tag), Buffer.from(other.tag)));
  }

  #create(wanted: NewPlant): Outcome {
    const stored = this.plants.get(wanted.id);
    if (stored !== undefined) return areEqual(stored, wanted) ? 'replayed' : 'plant_id_taken';
    this.plants.set(wanted.id, wanted);
    return 'created';
  }

  #importRow(row: NewPlant, { onConflict, dryRun }: ImportRules): RowOutcome {
    const stored = this.plants.get(row.id);
    if (stored !== undefined && areEqual(stored, row)) return 'unchanged';
    if (stored !== undefined && onConflict === 'fail') return 'taken';
    if (stored !== undefined && onConflict === 'skip') return 'skipped';
    if (!dryRun) this.plants.set(row.id, row);
    return stored === undefined ? 'created' : 'replaced';
  }

  #toEdit({ id, from, to }: RandomEdit): PlantEdit {
    const stored = this.plants.get(id) ?? null;
    const expected = { stored, none: null, other: { id, name: 'another' }, any: undefined }[from];
    // Only where nothing is expected, a patch makes a new plant; it has a name then.
    return { id, from: expected === null && to?.name === undefined ? undefined : expected, to };
  }

  #edit({ id, from, to }: PlantEdit): EditOutcome {
    const stored = this.plants.get(id);
    const wanted = to === null ? undefined : withoutNulls({ id, name: '', ...stored, ...to });
    if (stored === undefined ? to === null : wanted !== undefined && areEqual(stored, wanted)) return 'unchanged';
    const isExpected =
      stored === undefined ? from === null : from !== null && from !== undefined && areEqual(stored, from);
    if (from !== undefined && !isExpected) return 'conflict';
    if (stored === undefined && from === undefined) return 'unknown';
    if (wanted === undefined) this.plants.delete(id);
    else this.plants.set(id, wanted);
    return 'changed';
  }

  #toCondition(key: bigint, { ifMatch, ifNoneMatch }: { ifMatch?: Version; ifNoneMatch?: Version }): Condition {
    const stored = this.plants.get(key);
    const own = stored === undefined ? 'none' : this.#versionOf(stored);
    const toVersions = (each: Version): '*' | string[] => (each === '*' ? '*' : ['other', each === 'match' ? own : '']);
    return {
      ...(ifMatch === undefined ? {} : { ifMatch: toVersions(ifMatch) }),
      ...(ifNoneMatch === undefined ? {} : { ifNoneMatch: toVersions(ifNoneMatch) }),
    };
  }
}

function allows(
  { ifMatch, ifNoneMatch }: { ifMatch?: Version; ifNoneMatch?: Version },
  stored: StoredPlant | undefined,
): boolean {
  const names = (each: Version | undefined): boolean => stored !== undefined && (each === '*' || each === 'match');
  return (ifMatch === undefined || names(ifMatch)) && !names(ifNoneMatch);
}

/** What a patch leaves: null removes. */
function withoutNulls(plant: PlantPatch & Pick<StoredPlant, 'id'>): StoredPlant {
  const present = Object.entries(plant).filter(([, value]) => value !== null);
  return Object.fromEntries(present) as unknown as StoredPlant;
}

function areEqual(one: StoredPlant, other: StoredPlant): boolean {
  return plantFields.every((field) => one[field] === other[field]);
}
