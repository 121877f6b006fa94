/** Loads the import once the list is shown, which is sooner without it. Shows why it cannot be loaded. */
import { useEffect } from 'preact/hooks';
import { isReady } from '../../../src/client/client.ts';
import { Observable, useValue } from '../observable.ts';
import { connection, noteAway, onBack } from '../session/connection.ts';
import { Notice } from '../session/notice.tsx';
import { serviceUrl } from '../session/service-url.ts';
import { Button } from '../ui/button.tsx';
import { View } from '../ui/view.tsx';
import type { ImportPart } from './import-part.ts';

const loaded = new Observable<ImportPart | 'failed' | undefined>(undefined);

export async function loadImport(): Promise<void> {
  if (findImport() !== undefined) return;
  // Browsers never load again what once failed, so the service is asked first.
  if (!(await isReady(serviceUrl))) {
    noteAway();
    return;
  }
  const part = import('./import-part.ts').then(
    ({ importPart }) => importPart,
    () => 'failed' as const,
  );
  loaded.set(await part);
}
onBack(() => void loadImport());

/** Undefined: it is not loaded, so no import is running. */
function findImport(): ImportPart | undefined {
  return typeof loaded.value === 'object' ? loaded.value : undefined;
}

export function isImporting(): boolean {
  return findImport()?.isImporting() === true;
}

/** Calls it now, or when the import is loaded. */
export function withImport(act: (part: ImportPart) => void): void {
  const stop = loaded.subscribe(tryAct);
  function tryAct(): void {
    const part = findImport();
    if (part === undefined) return;
    stop();
    act(part);
  }
  tryAct();
}

export function LoadedImport() {
  const state = useValue(loaded);
  const { isAway } = useValue(connection);
  useEffect(() => void loadImport(), []);
  if (typeof state === 'object') return <state.ImportView />;
  const reload = (
    <Button kind="main" onClick={() => location.reload()}>
      Reload the page
    </Button>
  );
  return (
    <View name="import">
      {state === 'failed' ? (
        <Notice title="The import could not be loaded" icon="offline" actions={reload}>
          <p>Reload the page: the service may have been updated since this page was opened.</p>
        </Notice>
      ) : (
        isAway && (
          <Notice title="The import is not loaded yet" icon="offline">
            <p>It loads when the service responds.</p>
          </Notice>
        )
      )}
    </View>
  );
}
