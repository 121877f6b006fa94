/** Two values of each field of a plant, made from openapi.yaml: a test that uses them includes a new field. */
import { membersOf } from '../../src/contract/description.ts';
import { plantFields } from '../../src/domain/plant.ts';
import type { Plant } from '../../src/domain/schemas.ts';
import type { JsonObject } from '../../src/json/parse-json.ts';
import { contract } from './read-contract.ts';

const schema = membersOf(membersOf(membersOf(contract.document['components'])['schemas'])['Plant']);

/** The schema of each field, in the order of the description. */
export const fieldSchemas = Object.entries(membersOf(schema['properties'])).map(
  ([field, each]) => [field, membersOf(each)] as const,
);

/** The names of the fields that every plant has. */
export const requiredFields = schema['required'] as readonly string[];

/** Two plants that differ in each field. */
export const [onePlant, otherPlant] = [0, 1].map((at) =>
  Object.fromEntries(fieldSchemas.map(([field, each]) => [field, toValue(field, each, at)])),
) as [Required<Plant>, Required<Plant>];

/** Both values of each field but `name` and `tag`, whose values most tests choose themselves. */
export const otherFields: readonly (readonly [field: string, values: readonly [unknown, unknown]])[] = plantFields
  .filter((field) => !['name', 'tag'].includes(field))
  .map((field) => [field, [onePlant[field], otherPlant[field]]]);

/** Returns the types of a schema, which may be a list. */
export function typesOf({ type }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [type].flat();
}

function toValue(field: string, each: JsonObject, at: number): unknown {
  const { format, minimum = 0 } = each;
  const [kind] = typesOf(each);
  if (Array.isArray(each['enum'])) return each['enum'][at];
  if (kind === 'string') return `${field} ${at}`;
  if (kind === 'boolean') return at === 1;
  if (kind === 'number' || format === 'int32') return Number(minimum) + at + 5;
  if (kind === 'integer') return BigInt(minimum as number) + BigInt(at + 5);
  throw new Error(`Tests make no values of the type of "${field}" yet`);
}
