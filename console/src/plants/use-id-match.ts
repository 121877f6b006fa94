/** Finds the plant whose id is typed into the search. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { parseId } from '../parse-id.ts';
import { navigate, type Route, route } from '../route.ts';
import { askAfterTyping } from '../session/ask-after-typing.ts';
import { onBack } from '../session/connection.ts';
import type { Session } from '../session/session.ts';
import { onAnnounced, plantsOf } from '../copy/changes.ts';

export interface IdMatch {
  readonly plant: StoredPlant | undefined;
  /** Opens the plant, as soon as it is found. False if the search is not an id, or no plant has it. */
  readonly open: () => boolean;
}

export function useIdMatch({ client }: Session, search: string): IdMatch {
  const [found, setFound] = useState<StoredPlant | 'none' | undefined>(undefined);
  /** The id to open once it is found, unless another form was opened meanwhile. */
  const wanted = useRef<{ readonly id: bigint; readonly from: Route['plant'] }>(undefined);
  const id = parseId(search.trim());
  const [tries, setTries] = useState(0);
  useEffect(() => onBack(() => setTries((count) => count + 1)), []);
  useEffect(() => {
    if (wanted.current?.id !== id) wanted.current = undefined;
    setFound(undefined);
    if (id === undefined) return undefined;
    return askAfterTyping(async (signal) => {
      const version = await client.get(id, { signal });
      setFound(version?.plant ?? 'none');
      if (version !== undefined && wanted.current?.id === id && wanted.current.from === route.value.plant)
        navigate({ plant: id });
      wanted.current = undefined;
    });
  }, [client, id, tries]);
  useEffect(
    () =>
      onAnnounced((announcement) => {
        const known = plantsOf(announcement);
        if (id !== undefined && known.has(id)) setFound(known.get(id) ?? 'none');
      }),
    [id],
  );
  return {
    plant: found === 'none' ? undefined : found,
    open: () => {
      // What is typed, which may not be rendered yet.
      const typed = parseId(route.value.search.trim());
      if (typed === undefined || (typed === id && found === 'none')) return false;
      if (typed === id && found !== undefined) navigate({ plant: id });
      else wanted.current = { id: typed, from: route.value.plant };
      return true;
    },
  };
}
