/** The newest changes of all plants, live. Those that were made together are one line, and a batch can be undone. */
import { useState } from 'preact/hooks';
import type { Change } from '../../../src/client/client.ts';
import { useSession } from '../session/session.ts';
import { toDay } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { View } from '../ui/view.tsx';
import { ActivityLine } from './activity-line.tsx';
import { type Entry, groupChanges, toEntries } from './group-changes.ts';
import { readEnough } from '../copy/read-enough.ts';
import { useChanges } from '../copy/use-changes.ts';
import { useStill } from './use-still.ts';

/** Lines at first, and more with each click. */
const linesStep = 20;
/** Changes per request, and the most requests that fill the lines. */
const pageSize = 200;
const pagesMax = 20;

export function ActivityView() {
  const { client } = useSession();
  const [linesMax, setLinesMax] = useState(linesStep);
  const { changes, plants, error, more, isBusy } = useChanges(
    (before, signal) => {
      const wanted = before === undefined ? linesMax : linesMax + linesStep;
      // The last one may go on.
      const isEnough = (items: readonly Change[]): boolean => groupChanges(items).length > wanted;
      return readEnough(client, { pageSize, pagesMax, isEnough, isGrouped: true }, before, signal);
    },
    () => true,
    client,
  );
  const { shown, events, follow } = useStill(changes);
  const lines = toEntries(shown ?? [], plants, more === undefined);
  const hasMore = lines.length > linesMax;
  return (
    <View name="activity">
      <div class="scroll" tabIndex={0} role="region" aria-label="Changes">
        {error !== undefined && <p role="alert">{error}</p>}
        {changes?.length === 0 && <p class="soft">No changes yet.</p>}
        <ol aria-busy={changes === undefined} {...events}>
          {lines.slice(0, linesMax).flatMap((entry, at) => {
            const day = toDayOf(entry);
            return [
              day !== toDayOf(lines[at - 1]) && (
                <li key={day} class="event-day">
                  <h2>{day}</h2>
                </li>
              ),
              <ActivityLine key={entry.line.at(-1)?.group ?? entry.line.at(-1)?.position} entry={entry} />,
            ];
          })}
        </ol>
        {(hasMore || more !== undefined) && (
          <Button
            isBusy={isBusy}
            onClick={() => {
              follow();
              setLinesMax(linesMax + linesStep);
              if (lines.length <= linesMax + linesStep) more?.();
            }}
          >
            Show older
          </Button>
        )}
      </div>
    </View>
  );
}

function toDayOf(entry: Entry | undefined): string | undefined {
  return entry?.line[0] && toDay(entry.line[0].at);
}
