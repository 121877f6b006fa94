/** Plants with these words or this id: of the copy if it is whole, otherwise with one request for each pause in typing. */
import { useEffect, useState } from 'preact/hooks';
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { copy } from '../copy/copy.ts';
import { begins, contains, type Row, toWords } from '../copy/order.ts';
import type { Replica } from '../copy/replica.ts';
import { useValue } from '../observable.ts';
import { parseTypedId } from '../parse-id.ts';
import { askAfterTyping } from '../session/ask-after-typing.ts';

/** Plants to find. */
const plantsMax = 8;

/** Undefined: being looked for. */
export function useFound(client: PlantClient, typed: string): readonly StoredPlant[] | undefined {
  const text = typed.trim();
  const replica = useValue(copy);
  const [asked, setAsked] = useState<{ readonly text: string; readonly plants: readonly StoredPlant[] }>();
  const isAsked = text !== '' && replica?.isWhole === false;
  useEffect(() => {
    if (!isAsked) return undefined;
    const id = parseTypedId(text);
    const find = async (signal: AbortSignal): Promise<readonly StoredPlant[]> => {
      if (id === undefined) return (await client.listPage({ search: text, pageSize: plantsMax }, { signal })).items;
      const version = await client.get(id, { signal });
      return version === undefined ? [] : [version.plant];
    };
    return askAfterTyping(
      async (signal) => setAsked({ text, plants: await find(signal) }),
      () => setAsked({ text, plants: [] }),
    );
  }, [client, isAsked, text]);
  if (text === '' || replica === undefined) return [];
  if (!isAsked) return findIn(replica, text);
  return asked?.text === text ? asked.plants : undefined;
}

function findIn({ rows }: Replica, text: string): readonly StoredPlant[] {
  const id = parseTypedId(text);
  if (id !== undefined) return [rows.get(id)].flatMap((row) => row?.plant ?? []);
  const words = toWords(text);
  const found = [...rows.values()].filter((row) => contains(row, words));
  const isBetter = (row: Row): boolean => begins(row.text, words);
  return [...found.filter(isBetter), ...found.filter((row) => !isBetter(row))]
    .slice(0, plantsMax)
    .map(({ plant }) => plant);
}
