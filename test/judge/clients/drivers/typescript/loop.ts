/** What the TypeScript programs share: the plants, exact JSON as on the page, and the loop over the calls that stdin names. */
import { createInterface } from 'node:readline';

export const url = process.env['PLANT_STORE_URL'] ?? '';
export const authorization = `Bearer ${process.env['PLANT_STORE_TOKEN']}`;

export const [lowest, rounded, highest] = [-(2n ** 63n), 2n ** 53n + 1n, 2n ** 63n - 1n] as const;
export const ids: readonly bigint[] = [lowest, rounded, highest];
const [name, tag] = ['Käthe', 'Bäume'];
export const filter = { tag };
export const hook = { url: 'https://plants.invalid/hook', events: ['plant.deleted' as const] };
export const plants = [
  { id: lowest, name, tag },
  { id: rounded, name, tag },
  { id: highest, name },
];
export const csv = `id,name,tag\r\n${lowest},${name},${tag}\r\n${rounded},${name},${tag}\r\n${highest},${name},\r\n`;
export const ndjson = plants.map((plant) => `${stringify(plant)}\n`).join('');

interface Members {
  readonly name: string;
  readonly tag?: string | undefined;
}
type Stored = Members & { readonly id: number };

export function toText(plant: Stored): string {
  return `${plant.id} ${toMembers(plant)}`;
}

export function toMembers({ name, tag }: Members): string {
  return `${name} ${tag ?? '-'}`;
}

export function toPage(plants: readonly Stored[]): string {
  return plants.map(toText).join(', ');
}

export function toChanges(changes: readonly { readonly kind: string; readonly plant?: Stored }[]): string {
  return changes.map(({ kind, plant }) => (plant === undefined ? '' : `${kind} ${toText(plant)}`)).join(', ');
}

export function toCursor(link: string | null): string {
  return decodeURIComponent(/cursor=([^&>]+)/.exec(link ?? '')?.[1] ?? '');
}

/** An id where the types ask for a number. */
export function asNumber(id: bigint): number {
  return id as unknown as number;
}

export function parse(text: string): any {
  const reviver = (key: string, value: unknown, { source }: { source: string }): unknown =>
    key === 'id' && typeof value === 'number' ? BigInt(source) : value;
  return JSON.parse(text, reviver as never);
}

export function stringify(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? rawJSON(String(each)) : each));
}

export interface Call {
  readonly plain?: () => Promise<string>;
  /** Another way, and what is different about it. */
  readonly other?: () => Promise<string>;
  readonly how?: string;
}

export async function loop(calls: Readonly<Record<string, Call>>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const [name = '', other] = line.split('/');
    const call = calls[name];
    const run = other === undefined ? call?.plain : call?.other;
    const answer = await Promise.resolve(run?.()).then(
      (got) => ({ got, how: call?.how }),
      (error: unknown) => ({ failed: String(error) }),
    );
    console.log(JSON.stringify(answer));
  }
}
