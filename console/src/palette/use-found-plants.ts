/** Plants with these words or this id: one request for each pause in typing. */
import { useEffect, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { parseId } from '../parse-id.ts';
import { askAfterTyping } from '../session/ask-after-typing.ts';
import type { Session } from '../session/session.ts';

/** Plants to find. */
const plantsMax = 8;

/** Until there are others, those of the text before. Undefined: being looked for. */
export function useFoundPlants({ client, canRead }: Session, typed: string): readonly StoredPlant[] | undefined {
  const text = typed.trim();
  const [found, setFound] = useState<{ readonly text: string; readonly plants: readonly StoredPlant[] }>();
  useEffect(() => {
    if (text === '' || !canRead) return undefined;
    const id = parseId(text);
    const find = async (signal: AbortSignal): Promise<readonly StoredPlant[]> => {
      if (id === undefined) return (await client.listPage({ search: text, pageSize: plantsMax }, { signal })).items;
      const version = await client.get(id, { signal });
      return version === undefined ? [] : [version.plant];
    };
    return askAfterTyping(
      async (signal) => setFound({ text, plants: await find(signal) }),
      () => setFound({ text, plants: [] }),
    );
  }, [client, canRead, text]);
  if (text === '' || !canRead) return [];
  return found?.text === text ? found.plants : undefined;
}
