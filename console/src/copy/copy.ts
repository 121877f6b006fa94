/** The copy of the plants of the session that is signed in. It follows the service while the page is visible and the service responds. */
import { type PlantClient, realEnvironment, type StoredPlant } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { connection } from '../session/connection.ts';
import { currentSession, noteError, session } from '../session/session.ts';
import { bounds } from './bounds.ts';
import { OwnClient } from './own-client.ts';
import { PlantCopy } from './plant-copy.ts';

/** Undefined: nobody is signed in, or the token cannot read. */
export const currentCopy = new Observable<PlantCopy | undefined>(undefined);

/** The plants with these ids, which are in the list, in their order. */
export function findInCopy(ids: readonly bigint[]): readonly StoredPlant[] {
  return ids.flatMap((id) => currentCopy.value?.state.rows.get(id)?.plant ?? []);
}

export function startCopy(): void {
  let client: PlantClient | undefined;
  let running: AbortController | undefined;
  const stop = (): void => {
    running?.abort();
    running = undefined;
  };
  const update = (): void => {
    const current = currentSession();
    const next = current?.canRead === true ? current.client : undefined;
    if (next !== client) {
      stop();
      client = next;
      currentCopy.set(client instanceof OwnClient ? openCopy(client) : undefined);
    }
    const isWanted = currentCopy.value !== undefined && !document.hidden && !connection.value.isAway;
    if (!isWanted) stop();
    else if (running === undefined) {
      running = new AbortController();
      void currentCopy.value?.run(running.signal);
    }
  };
  session.subscribe(update);
  connection.subscribe(update);
  document.addEventListener('visibilitychange', update);
  update();
}

function openCopy(client: OwnClient): PlantCopy {
  return new PlantCopy({
    client,
    writes: client.writes,
    onError: noteError,
    sleep: (ms, signal) => realEnvironment.sleep(ms, signal).catch(() => undefined),
    bounds,
  });
}
