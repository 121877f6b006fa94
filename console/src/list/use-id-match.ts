/** Finds the plant whose id is typed into the search: in the copy, or if that is not whole, in the service. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';
import type { Replica } from '../copy/replica.ts';
import { parseTypedId } from '../parse-id.ts';
import { navigate, type Route, route } from '../route.ts';
import { askAfterTyping } from '../session/ask-after-typing.ts';
import { onBack } from '../session/connection.ts';

export interface IdMatch {
  readonly plant: StoredPlant | undefined;
  /** Opens the plant, as soon as it is found. False if the search is not an id, or no plant has it. */
  readonly open: () => boolean;
}

export function useIdMatch(client: PlantClient, copy: Replica, search: string): IdMatch {
  const [asked, setAsked] = useState<{ readonly id: bigint; readonly plant: StoredPlant | undefined }>();
  /** The id to open once it is found, unless another form was opened meanwhile. */
  const wanted = useRef<{ readonly id: bigint; readonly from: Route['plant'] }>(undefined);
  const [tries, setTries] = useState(0);
  const find = (id: bigint): StoredPlant | undefined =>
    copy.rows.get(id)?.plant ?? (copy.isWhole || asked?.id !== id ? undefined : asked.plant);
  const id = parseTypedId(search);
  const found = id === undefined ? undefined : find(id);
  const isSure = copy.isWhole || found !== undefined || (id !== undefined && asked?.id === id);
  const again = (): void => setTries((count) => count + 1);
  useEffect(() => onBack(again), []);
  useEffect(
    () =>
      copy.subscribe(({ ids }) => {
        // What happened during a load is not said one by one.
        if (id !== undefined && (ids === undefined ? copy.state === 'live' : ids.has(id))) again();
      }),
    [copy, id],
  );
  useEffect(() => {
    if (id === undefined || copy.isWhole || copy.rows.has(id)) return undefined;
    return askAfterTyping(async (signal) => setAsked({ id, plant: (await client.get(id, { signal }))?.plant }));
  }, [client, id, copy.isWhole, tries]);
  useEffect(() => {
    if (wanted.current !== undefined && (wanted.current.id !== id || isSure)) {
      if (wanted.current.id === id && found !== undefined && wanted.current.from === route.value.plant)
        navigate({ plant: id });
      wanted.current = undefined;
    }
  }, [id, isSure, found]);
  return {
    plant: found,
    open: () => {
      // What is typed, which may not be rendered yet.
      const typed = parseTypedId(route.value.search);
      if (typed === undefined) return false;
      if (find(typed) !== undefined) navigate({ plant: typed });
      else if (copy.isWhole || asked?.id === typed) return false;
      else wanted.current = { id: typed, from: route.value.plant };
      return true;
    },
  };
}
