/** Finds the plant whose id is typed into the search. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { parseId } from '../parse-id.ts';
import { navigate } from '../route.ts';
import { noteError, type Session } from '../session/session.ts';
import { onAnnounced } from './changes.ts';

export interface IdMatch {
  readonly plant: StoredPlant | undefined;
  /** Opens the plant, as soon as it is found. False if the search is not an id, or no plant has it. */
  readonly open: () => boolean;
}

/** Pause in typing before the service is asked, in milliseconds. */
const typingMs = 140;

export function useIdMatch({ client }: Session, search: string): IdMatch {
  const [found, setFound] = useState<StoredPlant | 'none' | undefined>(undefined);
  const isOpenWanted = useRef(false);
  const id = parseId(search.trim());
  useEffect(() => {
    isOpenWanted.current = false;
    setFound(undefined);
    if (id === undefined) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      client.get(id, { signal: controller.signal }).then(
        (version) => {
          setFound(version?.plant ?? 'none');
          if (version !== undefined && isOpenWanted.current) navigate({ plant: id });
        },
        (error: unknown) => {
          if (!controller.signal.aborted) noteError(error, 'read');
        },
      );
    }, typingMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, id]);
  useEffect(
    () =>
      onAnnounced((change) => {
        if (change.kind === 'deleted') setFound((plant) => (isSame(plant, change.id) ? 'none' : plant));
        if (change.kind === 'stored' || change.kind === 'seen')
          setFound((plant) => (isSame(plant, change.plant.id) ? change.plant : plant));
      }),
    [],
  );
  return {
    plant: found === 'none' ? undefined : found,
    open: () => {
      if (id === undefined || found === 'none') return false;
      if (found === undefined) isOpenWanted.current = true;
      else navigate({ plant: id });
      return true;
    },
  };
}

function isSame(plant: StoredPlant | 'none' | undefined, id: bigint): boolean {
  return typeof plant === 'object' && plant.id === id;
}
