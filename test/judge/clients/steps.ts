/** The calls that each generated client makes, what it must read from the replies, and what the store then has. */
import type { NewPlant } from '../../../src/client/client.ts';

/** Bounds of an id, and the least number that a double rounds; a name beyond ASCII; a tag, and none. */
const [lowest, rounded, highest] = [-(2n ** 63n), 2n ** 53n + 1n, 2n ** 63n - 1n];
const name = 'Käthe';
const tag = 'Bäume';

export const plants: readonly NewPlant[] = [
  { id: lowest, name, tag },
  { id: rounded, name, tag },
  { id: highest, name },
];
const [first, second, third] = plants.map(toText);

const csv = `id,name,tag\r\n${lowest},${name},${tag}\r\n${rounded},${name},${tag}\r\n${highest},${name},\r\n`;
const ndjson = plants.map(({ id, ...members }) => `{"id":${id},${JSON.stringify(members).slice(1)}\n`).join('');

export interface Step {
  /** What the store has before; by default all plants. */
  readonly before?: readonly NewPlant[];
  /** What the program read, as text: `id name tag`, with - for no tag. */
  readonly got: string;
  /** What the store has then; by default what it had. */
  readonly after?: readonly NewPlant[];
}

/** By name, in the order of the table. */
export const steps: Readonly<Record<string, Step>> = {
  create: { before: [], got: `${name} ${tag}, ${name} ${tag}, ${name} -`, after: plants },
  get: { got: `${first}, ${second}, ${third}` },
  // Two plants a page; the second page by the cursor of the header field Link.
  list: { got: `${first}, ${second} | ${third}` },
  // The tag of the second plant is removed, by null.
  patch: {
    got: `${rounded} ${name} -`,
    after: plants.map((plant) => (plant.id === rounded ? { id: rounded, name } : plant)),
  },
  delete: { got: 'deleted', after: plants.filter(({ id }) => id !== rounded) },
  // A batch of all plants by their ids, and one of all plants with a tag.
  'batch of ids': { got: '3 changed', after: plants.map(toRare) },
  'batch of a filter': {
    got: '2 changed',
    after: plants.map((plant) => (plant.tag === undefined ? plant : toRare(plant))),
  },
  'export CSV': { got: csv },
  'export NDJSON': { got: ndjson },
  'import CSV': { before: [], got: '3 created', after: plants },
  'import NDJSON': { before: [], got: '3 created', after: plants },
  // The newest three.
  changes: { got: `created ${third}, created ${second}, created ${first}` },
  // The URL, whether it is enabled, and how its secret begins. One event: plant.deleted.
  webhook: { got: 'https://plants.invalid/hook true whsec_' },
  // The numbers of a get of the id 5 and of a create of the first plant with the name "Other".
  error: { got: '40402 40901' },
};

function toText({ id, name, tag }: NewPlant): string {
  return `${id} ${name} ${tag ?? '-'}`;
}

function toRare(plant: NewPlant): NewPlant {
  return { ...plant, tag: 'rare' };
}
