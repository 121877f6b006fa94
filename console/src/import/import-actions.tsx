/** What can be done next, always in sight at the end of the view; while something runs, how far it is. */
import { showGroup, shownMax } from '../actions/show-group.ts';
import { undoBatch } from '../actions/run-batch.ts';
import { allPlants, navigate, showLabels } from '../route.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { toCount } from '../ui/numbers.ts';
import { countJoined, type ImportProps, type ImportStep } from './import-state.ts';
import { importer } from './use-import.ts';

const running: Partial<Record<ImportStep, string>> = {
  checking: 'Checking',
  importing: 'Importing',
  stopping: 'Stopping',
  paused: 'Connection lost. It will resume automatically.',
};

export function ImportActions({ chosen: { source, preview }, state }: ImportProps) {
  const { client } = useSession();
  const { step, bytes, report, message, isDryRun, group, repeated } = state;
  const stored = (report?.created ?? 0n) + (report?.replaced ?? 0n) - (repeated?.again ?? 0n);
  const refused = (report?.refused ?? 0n) + countJoined(state);
  const isStored = !isDryRun && stored > 0n;
  const count = Number(stored);
  const show = (onFound?: (ids: readonly bigint[]) => void): void => {
    if (isStored && group !== undefined && (count <= shownMax || onFound !== undefined))
      void showGroup(client, group, count, undefined, onFound);
    else navigate(allPlants);
  };
  const text = running[step];
  if (text !== undefined)
    return <Progress text={text} share={source.size && bytes / source.size} isStopping={step === 'stopping'} />;
  return (
    <footer class="import-foot">
      {step === 'failed' && (
        <p class="note note-bad" role="alert">
          {message}
        </p>
      )}
      {step === 'stopped' && (
        <p class="note" role="status">
          {isDryRun
            ? 'Check stopped. Nothing was imported.'
            : `Import stopped. ${toCount(stored, 'plant was', 'plants were')} imported${message === undefined ? '' : ', and perhaps the next part of the file'}.`}
        </p>
      )}
      {step === 'checked' && (
        <Button kind="main" icon="import" disabled={stored === 0n} onClick={() => importer.start()}>
          {stored === 0n
            ? 'Nothing to import'
            : `Import ${toCount(stored, 'plant')}${refused > 0n ? `, ${toCount(refused, 'row')} refused` : ''}`}
        </Button>
      )}
      {step === 'stopped' && (
        <Button kind="main" onClick={() => importer.resume()}>
          Continue
        </Button>
      )}
      {step === 'failed' && preview !== undefined && <Button onClick={() => importer.resume()}>Try again</Button>}
      {(step === 'done' || isStored) && (
        <Button kind={step === 'done' ? 'main' : 'plain'} onClick={() => show()}>
          Show the plants
        </Button>
      )}
      {isStored && (
        <Button icon="label" onClick={() => show(showLabels)}>
          Print labels
        </Button>
      )}
      {isStored && group !== undefined && (
        <Button
          icon="restore"
          onClick={() => {
            importer.reset();
            void undoBatch(client, group, undefined, stored);
          }}
        >
          Undo
        </Button>
      )}
      <Button onClick={() => importer.reset()}>Choose another file</Button>
    </footer>
  );
}

interface ProgressProps {
  readonly text: string;
  /** 0 to 1. */
  readonly share: number;
  readonly isStopping: boolean;
}

function Progress({ text, share, isStopping }: ProgressProps) {
  const percent = Math.min(100, Math.floor(share * 100));
  return (
    <footer class="import-foot">
      <div class="progress">
        <p>
          {text} <span>{percent} %</span>
        </p>
        <div class="progress-track" role="progressbar" aria-label={text} aria-valuenow={percent}>
          <i style={{ width: `${percent}%` }} />
        </div>
      </div>
      <Button isBusy={isStopping} onClick={() => importer.stop()}>
        Stop
      </Button>
    </footer>
  );
}
