/** The import of this page. It goes on while another view is shown, and stops with the session, to be continued in the next. */
import { emptyReport } from '../../../src/client/client.ts';
import { currentCopy, findInCopy } from '../copy/copy.ts';
import { keepLastBatch } from '../actions/last-batch.ts';
import { navigate, route, viewChange } from '../route.ts';
import { onBack } from '../session/connection.ts';
import { onDraftsDropped } from '../session/drafts.ts';
import { currentSession, noteError, session } from '../session/session.ts';
import { toCount } from '../ui/numbers.ts';
import { showToast } from '../session/toasts.tsx';
import { Importer } from './importer.ts';
import { countJoined, type ImportState } from './import-state.ts';

export const importer = new Importer({
  client: () => currentSession()?.client,
  findPlants: (ids) => {
    const copy = currentCopy.value?.state;
    return copy?.isWhole === true && copy.phase === 'live' ? findInCopy(ids) : undefined;
  },
  noteError,
  onEnd: tellEnd,
});

onBack(() => importer.retry());
onDraftsDropped(() => importer.reset());
session.subscribe(() => {
  if (session.value !== 'restoring') importer.changeSession(session.value !== undefined);
});
addEventListener('beforeunload', (event) => {
  if (importer.isImporting) event.preventDefault();
});

// After a reload it can still be undone.
importer.state.subscribe(() => {
  const state = importer.state.value;
  const { group, isDryRun, report } = state;
  if (group !== undefined && !isDryRun && report !== undefined)
    keepLastBatch({ group, doing: 'Importing', end: { text: toEnd(state), at: Date.now() } });
});

function toEnd(state: ImportState): string {
  const { step, message = '', report: { refused } = emptyReport } = state;
  return step === 'done'
    ? `The import is complete${refused > 0n ? `, ${toCount(refused + countJoined(state), 'row')} refused` : ''}.`
    : `The import ended early. ${message}`;
}

/** For someone who looks at something else. */
function tellEnd(state: ImportState): void {
  if (route.value.view === 'import') return;
  showToast({
    text: toEnd(state),
    isBad: state.step !== 'done',
    actions: [{ label: 'Show', run: () => navigate(viewChange('import')) }],
  });
}
