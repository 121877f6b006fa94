/** Plants with these words or this id: one request for each pause in typing. */
import { useEffect, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { parseId } from '../parse-id.ts';
import { noteError, type Session } from '../session/session.ts';
import { typingMs } from '../typing-ms.ts';

/** Plants to find. */
const plantsMax = 8;

/** Until there are others, those of the text before. Undefined: being looked for. */
export function useFoundPlants({ client, canRead }: Session, typed: string): readonly StoredPlant[] | undefined {
  const text = typed.trim();
  const [found, setFound] = useState<{ readonly text: string; readonly plants: readonly StoredPlant[] }>();
  useEffect(() => {
    if (text === '' || !canRead) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const id = parseId(text);
    const find = async (): Promise<readonly StoredPlant[]> => {
      if (id === undefined) return (await client.listPage({ search: text, pageSize: plantsMax }, { signal })).items;
      const version = await client.get(id, { signal });
      return version === undefined ? [] : [version.plant];
    };
    const timer = setTimeout(() => {
      find().then(
        (plants) => setFound({ text, plants }),
        (error: unknown) => {
          if (signal.aborted) return;
          noteError(error, 'read');
          setFound({ text, plants: [] });
        },
      );
    }, typingMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, canRead, text]);
  if (text === '' || !canRead) return [];
  return found?.text === text ? found.plants : undefined;
}
