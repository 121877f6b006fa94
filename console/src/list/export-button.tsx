/** Exports plants: asks in which format, and while it runs, says how far it is. */
import { useState } from 'preact/hooks';
import type { PlantClient, RowFormat } from '../../../src/client/client.ts';
import { Observable, useValue } from '../observable.ts';
import { noteError, ofSession, useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { TitledModal } from '../ui/modal.tsx';
import { toCount, toSize } from '../ui/numbers.ts';
import { showToast } from '../session/toasts.tsx';
import { type ExportJob, exportPlants, type ExportProgress } from './export-plants.ts';

/** The export that runs, also while another view is shown; undefined: none. */
const running = ofSession(
  () => new Observable<{ readonly progress: ExportProgress; readonly stop: () => void } | undefined>(undefined),
);

interface ButtonProps extends Pick<ExportJob, 'source' | 'total'> {
  /** Which plants: `All 1,000 plants`. */
  readonly title: string;
}

export function ExportButton({ source, total, title }: ButtonProps) {
  const { client, canRead } = useSession();
  const now = useValue(running());
  const [isOpen, setOpen] = useState(false);
  const share = now?.progress.share;
  return (
    <div class="export">
      {now === undefined ? (
        <Button icon="export" disabled={!canRead} onClick={() => setOpen(true)}>
          Export
        </Button>
      ) : (
        <Button icon="close" label="Stop the export" onClick={now.stop}>
          {share === undefined ? toSize(now.progress.bytes) : `${Math.floor(share * 100)} %`}
        </Button>
      )}
      {isOpen && (
        <TitledModal label="Export" kind="export-dialog" onClose={() => setOpen(false)}>
          {(close) => (
            <div class="question" role="group" aria-label={title}>
              <p>{title}</p>
              {formats.map(({ format, name, use }) => (
                <Button
                  key={format}
                  onClick={() => {
                    close();
                    void save(client, { format, source, total });
                  }}
                >
                  {name} <small class="soft">{use}</small>
                </Button>
              ))}
            </div>
          )}
        </TitledModal>
      )}
    </div>
  );
}

async function save(client: PlantClient, job: ExportJob): Promise<void> {
  const controller = new AbortController();
  const shown = running();
  const show = (progress: ExportProgress): void => {
    if (!controller.signal.aborted) shown.set({ progress, stop: () => controller.abort() });
  };
  show({ bytes: 0, share: 0 });
  try {
    const plants = await exportPlants(client, job, controller.signal, show);
    showToast({ text: `Export complete: ${toCount(plants, 'plant')}.` });
  } catch (error) {
    if (!controller.signal.aborted) {
      noteError(error);
      showToast({ text: 'Export failed, no file was saved. Try again.', isBad: true });
    }
  }
  shown.set(undefined);
}

const formats: readonly { readonly format: RowFormat; readonly name: string; readonly use: string }[] = [
  { format: 'text/csv', name: 'CSV', use: 'for spreadsheets' },
  { format: 'application/x-ndjson', name: 'NDJSON', use: 'for programs' },
];
