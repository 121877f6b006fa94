/** Imports a file of plants: choose it, see what an import would do, then import it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { toSize } from '../ui/numbers.ts';
import { View } from '../ui/view.tsx';
import { showToast } from '../session/toasts.tsx';
import { ColumnFields } from './column-fields.tsx';
import { ConflictRules } from './conflict-rules.tsx';
import { ImportActions } from './import-actions.tsx';
import { Report } from './report.tsx';
import { Differences, FirstRows, RefusedRows } from './row-tables.tsx';
import { importer } from './use-import.ts';

export function ImportView() {
  const state = useValue(importer.state);
  useEffect(
    () => () => {
      if (importer.isImporting) showToast({ text: 'The import goes on.' });
    },
    [],
  );
  useEffect(() => {
    // A file that is dropped elsewhere must not replace the page.
    const prevent = (event: DragEvent): void => event.preventDefault();
    addEventListener('dragover', prevent);
    addEventListener('drop', prevent);
    return () => {
      removeEventListener('dragover', prevent);
      removeEventListener('drop', prevent);
    };
  }, []);
  const { chosen } = state;
  return (
    <View name="import">
      <div class="import scroll" tabIndex={0} role="region" aria-label="Import steps">
        {chosen === undefined ? (
          <DropZone onFile={(file) => void importer.choose(file)} />
        ) : (
          <>
            <section class="file" aria-label="File">
              <header class="file-head">
                <Icon name="file" />
                <div>
                  <h2>{chosen.file.name}</h2>
                  <p class="soft small">{toSize(chosen.file.size)}</p>
                </div>
              </header>
              {state.isDryRun && chosen.csv !== undefined && chosen.preview !== undefined && (
                <ColumnFields csv={chosen.csv} />
              )}
            </section>
            <Report chosen={chosen} state={state} />
            {state.isDryRun && (
              <>
                <ConflictRules chosen={chosen} state={state} />
                <Differences chosen={chosen} state={state} />
                <FirstRows chosen={chosen} state={state} />
              </>
            )}
            <RefusedRows chosen={chosen} state={state} />
            <ImportActions chosen={chosen} state={state} />
          </>
        )}
      </div>
    </View>
  );
}

function DropZone({ onFile }: { readonly onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) onFile(file);
  };
  return (
    <div
      class={isOver ? 'drop is-over' : 'drop'}
      onDragOver={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <Icon name="file" />
      <h2>Choose a file of plants</h2>
      <p>
        Or copy rows of a spreadsheet and paste them here. They are checked first; nothing is saved until you confirm.
      </p>
      <input
        ref={input}
        class="for-readers"
        type="file"
        accept=".csv,.tsv,.ndjson,.jsonl,text/csv,text/tab-separated-values,application/x-ndjson"
        aria-label="File to import"
        tabIndex={-1}
        onChange={(event) => take(event.currentTarget.files)}
      />
      <Button kind="main" onClick={() => input.current?.click()}>
        Choose a file
      </Button>
      <p class="drop-hint">or drop it here</p>
      <div class="drop-formats">
        <figure>
          <figcaption>CSV, as spreadsheets save it: with any headings, with or without ids</figcaption>
          <pre tabIndex={0}>{'id,name,tag\n7,Monstera,climber\n8,Calathea,'}</pre>
        </figure>
      </div>
    </div>
  );
}
