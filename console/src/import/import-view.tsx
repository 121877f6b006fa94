/** Brings a file of plants in: drop it, see what would become of its rows, then import it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { navigate, viewChange } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Icon } from '../ui/icons.tsx';
import { ScopeNotice } from '../ui/notice.tsx';
import { toCount, toSize } from '../ui/numbers.ts';
import { ReportTable } from './report-table.tsx';
import { type ChosenFile, type ConflictRule, type Importer, useImport } from './use-import.ts';

export function ImportView({ current }: { readonly current: Session }) {
  return (
    <section class="view view-import" aria-labelledby="import-title">
      <header class="view-head">
        <h1 id="import-title">Import</h1>
      </header>
      {current.canWrite ? <ImportSteps current={current} /> : <ScopeNotice needs="plants:write" what="import plants" />}
    </section>
  );
}

function ImportSteps({ current }: { readonly current: Session }) {
  const importer = useImport(current.client);
  const { step, chosen } = importer;
  return (
    <div class="import" tabIndex={0} role="region" aria-label="Steps of the import">
      {chosen === undefined ? (
        <DropZone onFile={(file) => void importer.choose(file)} />
      ) : (
        <>
          <FileCard chosen={chosen} importer={importer} />
          {(step === 'checked' || step === 'done' || importer.report !== undefined) && (
            <ReportTable importer={importer} />
          )}
          <Steps importer={importer} />
        </>
      )}
    </div>
  );
}

function DropZone({ onFile }: { readonly onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A file that misses the zone must not replace the page.
    const prevent = (event: DragEvent): void => event.preventDefault();
    addEventListener('dragover', prevent);
    addEventListener('drop', prevent);
    return () => {
      removeEventListener('dragover', prevent);
      removeEventListener('drop', prevent);
    };
  }, []);
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
      <h2>Drop a CSV or NDJSON file here</h2>
      <p>It is checked first. Nothing is stored before you say so.</p>
      <input
        ref={input}
        class="for-readers"
        type="file"
        accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
        aria-label="File to import"
        tabIndex={-1}
        onChange={(event) => take(event.currentTarget.files)}
      />
      <Button kind="main" onClick={() => input.current?.click()}>
        Choose a file
      </Button>
      <div class="drop-formats">
        <figure>
          <figcaption>CSV</figcaption>
          <pre tabIndex={0}>{'id,name,tag\n7,Monstera,climber\n8,Calathea,'}</pre>
        </figure>
        <figure>
          <figcaption>NDJSON</figcaption>
          <pre tabIndex={0}>{'{"id":7,"name":"Monstera","tag":"climber"}\n{"id":8,"name":"Calathea"}'}</pre>
        </figure>
      </div>
    </div>
  );
}

const rules: readonly { readonly key: ConflictRule; readonly name: string; readonly hint: string }[] = [
  { key: 'fail', name: 'Refuse the row', hint: 'The row is reported; the stored plant stays.' },
  { key: 'skip', name: 'Skip it', hint: 'The stored plant stays, without a report.' },
  { key: 'replace', name: 'Replace the plant', hint: 'The stored plant gets the name and tag of the row.' },
];

function FileCard({ chosen, importer }: { readonly chosen: ChosenFile; readonly importer: Importer }) {
  const { step, rule } = importer;
  const isFixed = step === 'importing' || step === 'done';
  const refused = new Set(importer.report?.errors.map(({ line }) => Number(line)));
  return (
    <section class="file" aria-label="File">
      <header class="file-head">
        <Icon name="file" />
        <div>
          <h2>{chosen.file.name}</h2>
          <p>{toSize(chosen.file.size)}</p>
        </div>
        <Choice
          label="Format"
          value={chosen.format}
          disabled={isFixed}
          options={[
            { key: 'text/csv', name: 'CSV' },
            { key: 'application/x-ndjson', name: 'NDJSON' },
          ]}
          onChange={(format) => importer.setFormat(format === 'text/csv' ? 'text/csv' : 'application/x-ndjson')}
        />
      </header>
      <ol class="preview" aria-label="First lines of the file" tabIndex={0}>
        {chosen.preview.map((line, at) => (
          <li key={at} class={refused.has(at + 1) ? 'is-refused' : ''}>
            <code>{line}</code>
          </li>
        ))}
      </ol>
      <div class="file-rule">
        <span>When an id belongs to another plant</span>
        <Choice
          label="When an id belongs to another plant"
          value={rule}
          disabled={isFixed}
          options={rules}
          onChange={(key) => importer.setRule(rules.find((each) => each.key === key)?.key ?? 'fail')}
        />
      </div>
    </section>
  );
}

function Steps({ importer }: { readonly importer: Importer }) {
  const { step, chosen, bytes, report, message } = importer;
  if (chosen === undefined) return null;
  const stored = (report?.created ?? 0n) + (report?.replaced ?? 0n);
  if (step === 'checking' || step === 'importing' || step === 'paused') {
    const share = chosen.file.size === 0 ? 0 : Math.min(1, bytes / chosen.file.size);
    return (
      <footer class="import-foot">
        <Progress
          share={share}
          text={
            step === 'checking'
              ? 'Checking'
              : step === 'paused'
                ? 'Waiting for the service; it goes on by itself'
                : 'Importing'
          }
        />
        <Button onClick={importer.stop}>Stop</Button>
      </footer>
    );
  }
  return (
    <footer class="import-foot">
      {step === 'failed' && (
        <p class="note note-bad" role="alert">
          {message}
        </p>
      )}
      {step === 'checked' && (
        <Button kind="main" icon="import" disabled={stored === 0n} onClick={importer.start}>
          {stored === 0n ? 'Nothing to store' : `Import ${toCount(stored, 'plant')}`}
        </Button>
      )}
      {step === 'failed' && <Button onClick={() => importer.setRule(importer.rule)}>Check again</Button>}
      {step === 'done' && (
        <Button kind="main" onClick={() => navigate({ ...viewChange('plants'), search: '', tag: undefined })}>
          Show the plants
        </Button>
      )}
      <Button onClick={importer.reset}>Another file</Button>
    </footer>
  );
}

function Progress({ share, text }: { readonly share: number; readonly text: string }) {
  const percent = Math.floor(share * 100);
  return (
    <div class="progress">
      <p>
        {text} <span>{percent} %</span>
      </p>
      <div
        class="progress-track"
        role="progressbar"
        aria-label={text}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
