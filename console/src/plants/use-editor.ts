/** The life of one form: read, typed in, saved, refused, in conflict, or waiting for a service that does not answer. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type PlantClient, PlantStoreError, type PlantVersion, type StoredPlant } from '../../../src/client/client.ts';
import { parseId } from '../parse-id.ts';
import { connection } from '../session/connection.ts';
import { type Draft, readDraft, writeDraft } from '../session/drafts.ts';
import { isAway, noteError } from '../session/session.ts';
import { announce } from './changes.ts';
import { emptyDraft, type Faults, findFaults, isDirty, toDraft, toPatch, toPlant } from './plant-form.ts';

/** `reading`: the plant is on its way. `waiting`: it is saved as soon as the service answers. `gone`: nobody has this id. */
export type EditorState = 'reading' | 'ready' | 'saving' | 'waiting' | 'gone' | 'failed';

export interface Editor {
  readonly state: EditorState;
  readonly draft: Draft;
  readonly faults: Faults;
  /** What else went wrong. */
  readonly message: string | undefined;
  /** The plant that has the id already. */
  readonly taken: StoredPlant | undefined;
  /** What is stored now, and not what the form began with. `deleted`: nothing is. */
  readonly conflict: PlantVersion | 'deleted' | undefined;
  /** The form was found in the tab's memory. */
  readonly isRestored: boolean;
  readonly isDirty: boolean;
  readonly type: (change: Partial<Draft>) => void;
  /** @param over the version that is to be replaced; absent: the one that the form began with. */
  readonly save: (over?: PlantVersion | 'deleted') => Promise<void>;
  /** Shows what is stored and forgets what was typed. */
  readonly discard: () => void;
  /** Does not wait for the service any longer. */
  readonly stopWaiting: () => void;
}

interface Status {
  readonly state: EditorState;
  readonly faults: Faults;
  readonly message?: string;
  readonly taken?: StoredPlant;
  readonly conflict?: PlantVersion | 'deleted';
}

const ready: Status = { state: 'ready', faults: {} };

/** @param key the id of the plant, or `new`. @param onSaved called once it is stored. */
export function useEditor(
  client: PlantClient,
  key: bigint | 'new',
  onSaved: (plant: StoredPlant, isNew: boolean) => void,
): Editor {
  const draftKey = String(key);
  const [draft, setDraft] = useState<Draft>(
    () => readDraft(draftKey) ?? { ...emptyDraft, id: key === 'new' ? '' : draftKey },
  );
  const [isRestored, setRestored] = useState(() => readDraft(draftKey) !== undefined);
  const [status, setStatus] = useState<Status>(() =>
    key === 'new' || draft.base !== undefined ? ready : { state: 'reading', faults: {} },
  );
  const [readings, setReadings] = useState(0);
  const pending = useRef<PlantVersion | 'deleted' | undefined>(undefined);

  useEffect(() => {
    if (status.state !== 'reading' || key === 'new') return undefined;
    const controller = new AbortController();
    client.get(key, { signal: controller.signal }).then(
      (version) => {
        if (version !== undefined) setDraft(toDraft(version));
        setStatus(version === undefined ? { state: 'gone', faults: {} } : ready);
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        noteError(error, 'read');
        setStatus({ state: 'failed', faults: {}, message: toMessage(error) });
      },
    );
    return () => controller.abort();
  }, [client, key, readings]);

  const save = async (over?: PlantVersion | 'deleted'): Promise<void> => {
    const faults = findFaults(draft);
    if (Object.keys(faults).length > 0) {
      setStatus({ state: 'ready', faults });
      return;
    }
    pending.current = over;
    setStatus({ state: 'saving', faults: {} });
    try {
      const { plant, isNew } = await store(client, key, draft, over);
      writeDraft(draftKey, undefined);
      setRestored(false);
      setStatus(ready);
      announce({ kind: 'stored', plant, isNew });
      onSaved(plant, isNew);
    } catch (error) {
      noteError(error, 'write');
      setStatus(await explain(client, draft, error));
    }
  };

  // What waits is sent, and what could not be read is read, when the service is back.
  const retry = useRef<() => void>(() => undefined);
  retry.current = () => {
    if (status.state === 'waiting') void save(pending.current);
    else if (status.state === 'failed') readAgain();
  };
  useEffect(() => connection.subscribe(() => !connection.value.isAway && retry.current()), []);

  const readAgain = (): void => {
    setStatus({ state: 'reading', faults: {} });
    setReadings((count) => count + 1);
  };

  return {
    state: status.state,
    draft,
    faults: status.faults,
    message: status.message,
    taken: status.taken,
    conflict: status.conflict,
    isRestored,
    isDirty: isDirty(draft),
    type: (change) => {
      const next = { ...draft, ...change };
      setDraft(next);
      writeDraft(draftKey, isDirty(next) ? next : undefined);
      const { faults } = status;
      const left = Object.fromEntries(Object.entries(faults).filter(([member]) => !(member in change)));
      if (status.state === 'ready') setStatus({ ...ready, faults: left });
    },
    save,
    discard: () => {
      writeDraft(draftKey, undefined);
      setRestored(false);
      if (key === 'new') {
        setDraft(emptyDraft);
        setStatus(ready);
      } else readAgain();
    },
    stopWaiting: () => setStatus(ready),
  };
}

async function store(
  client: PlantClient,
  key: bigint | 'new',
  draft: Draft,
  over: PlantVersion | 'deleted' | undefined,
): Promise<{ readonly plant: StoredPlant; readonly isNew: boolean }> {
  const id = key === 'new' ? parseId(draft.id.trim()) : key;
  if (id === undefined) throw new TypeError('Cannot store plant: it has no id');
  const plant = toPlant(draft);
  if (key === 'new' || over === 'deleted') {
    await client.create({ id, ...plant });
    return { plant: { id, ...plant }, isNew: true };
  }
  if (over !== undefined) return { plant: (await client.put(id, plant, { ifMatch: over.etag })).plant, isNew: false };
  const patch = toPatch(draft);
  if (patch === undefined) return { plant: { id, ...plant }, isNew: false };
  const condition = draft.base === undefined ? {} : { ifMatch: draft.base.etag };
  return { plant: (await client.patch(id, patch, condition)).plant, isNew: false };
}

/** What a failed attempt to save means to the person in front of the form. */
async function explain(client: PlantClient, draft: Draft, error: unknown): Promise<Status> {
  if (isAway(error)) return { state: 'waiting', faults: {} };
  const id = parseId(draft.id.trim());
  if (error instanceof PlantStoreError && id !== undefined) {
    if (error.number === 40901) {
      const taken = (await client.get(id).catch(() => undefined))?.plant;
      const faults = { id: `The id ${id} belongs to another plant.` };
      return { state: 'ready', faults, ...(taken === undefined ? {} : { taken }) };
    }
    if (error.status === 412 || error.number === 40402) {
      const stored = await client.get(id).catch(() => undefined);
      return { state: 'ready', faults: {}, conflict: stored ?? 'deleted' };
    }
  }
  return { state: 'ready', faults: {}, message: toMessage(error) };
}

function toMessage(error: unknown): string {
  return isAway(error) ? 'The service does not answer.' : error instanceof Error ? error.message : String(error);
}
