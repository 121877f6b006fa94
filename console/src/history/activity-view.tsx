/** The newest changes of all plants, live. Those that were made together are one line, and a batch can be undone. */
import { useState } from 'preact/hooks';
import type { Change } from '../../../src/client/client.ts';
import { importPrefix, undoPrefix } from '../../../src/client/make-group.ts';
import { undoBatch, useRunningBatch } from '../many/run-batch.ts';
import { useSession } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { View } from '../session/view.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { TagChip } from '../ui/plant-text.tsx';
import { Author, Difference, verbs } from './change-text.tsx';
import { groupChanges, isTagging } from './group-changes.ts';
import { JoinedLines, PlantLink } from './joined-lines.tsx';
import { readEnough } from './read-enough.ts';
import { showGroup, shownMax } from './show-group.ts';
import { useChanges } from './use-changes.ts';

/** Lines at first, and more with each click. */
const linesStep = 20;
/** Changes per request, and the most requests that fill the lines. */
const pageSize = 200;
const pagesMax = 20;

export function ActivityView() {
  const { client } = useSession();
  const [linesMax, setLinesMax] = useState(linesStep);
  const { changes, plants, error, more } = useChanges(
    (before, signal) => {
      const wanted = before === undefined ? linesMax : linesMax + linesStep;
      // The last one may go on.
      const isEnough = (items: readonly Change[]): boolean => groupChanges(items).length > wanted;
      return readEnough(client, { pageSize, pagesMax, isEnough, isGrouped: true }, before, signal);
    },
    () => true,
    client,
  );
  /** What was shown when the pointer or the focus came: nothing moves until it leaves. */
  const [paused, setPaused] = useState<typeof changes>(undefined);
  const shown = paused ?? changes ?? [];
  const lines = groupChanges(shown);
  const hasMore = lines.length > linesMax;
  return (
    <View name="activity">
      <div class="scroll" tabIndex={0} role="region" aria-label="Changes">
        {error !== undefined && <p role="alert">{error}</p>}
        {changes?.length === 0 && <p class="soft">No changes yet.</p>}
        <ol
          aria-busy={changes === undefined}
          onMouseEnter={() => setPaused(changes)}
          onMouseLeave={() => setPaused(undefined)}
          onFocusIn={() => setPaused(changes)}
          onFocusOut={() => setPaused(undefined)}
        >
          {lines.slice(0, linesMax).map((line) => (
            <Line
              key={line.at(-1)?.group ?? line.at(-1)?.position}
              line={line}
              count={countPlants(line, plants)}
              isCut={more !== undefined && line[0]?.group === undefined && line.at(-1) === shown.at(-1)}
            />
          ))}
        </ol>
        {(hasMore || more !== undefined) && (
          <Button
            onClick={() => {
              setPaused(undefined);
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

interface LineProps {
  /** Newest first. */
  readonly line: readonly Change[];
  /** Number of plants, and whether there may be more. */
  readonly count: number;
  readonly isCut: boolean;
}

function Line({ line, count, isCut }: LineProps) {
  const { client, canWrite } = useSession();
  const isBusy = useRunningBatch() !== undefined;
  const [change] = line;
  if (change === undefined) return null;
  const { group, kind, at, by } = change;
  const isOne = count === 1 && line.length === 1 && !isCut;
  return (
    <li class="event">
      {isOne ? (
        <p>
          <Author by={by} /> {verbs[kind]} <ChangedPlant change={change} />
        </p>
      ) : (
        <JoinedLines
          summary={
            <>
              <Author by={by} />{' '}
              <Done
                line={line}
                change={change}
                count={isCut ? `${toGrouped(count)}+ plants` : toCount(count, 'plant')}
              />
            </>
          }
          items={line}
          total={count}
        >
          {(each) => (
            <>
              <ChangedPlant change={each} />
              {each.kind === 'replaced' && <Difference change={each} />}
            </>
          )}
        </JoinedLines>
      )}
      {group !== undefined && kind !== 'deleted' && !isOne && count <= shownMax && (
        <Button kind="quiet" icon="plants" onClick={() => void showGroup(client, group, count, { known: line })}>
          Show
        </Button>
      )}
      {group !== undefined && canWrite && (
        <Button kind="quiet" icon="restore" disabled={isBusy} onClick={() => void undoBatch(client, group)}>
          Undo
        </Button>
      )}
      <Ago at={at} />
      {isOne && kind === 'replaced' && <Difference change={change} />}
    </li>
  );
}

function ChangedPlant({ change: { id, plant, before } }: { readonly change: Change }) {
  return <PlantLink plant={{ id, name: (plant ?? before)?.name ?? '' }} />;
}

interface DoneProps {
  readonly line: readonly Change[];
  /** The first of the line. */
  readonly change: Change;
  /** `20 plants`. */
  readonly count: string;
}

/** What was done to the plants; the tag, if all got the same. */
function Done({ line, change: { kind, group = '', plant }, count }: DoneProps) {
  if (group.startsWith(importPrefix)) return <>imported {count}</>;
  if (group.startsWith(undoPrefix)) return <>undid a change of {count}</>;
  if (!line.every((each) => each.kind === kind)) return <>changed {count}</>;
  const isTag = isTagging(line);
  if (isTag && plant?.tag === undefined) return <>removed the tag of {count}</>;
  return (
    <>
      {isTag ? 'tagged' : verbs[kind]} {count} {isTag && <TagChip tag={plant?.tag} />}
    </>
  );
}

/** Of what was read; `plants` has the numbers of groups, of which that is only a part. */
function countPlants(line: readonly Change[], plants: ReadonlyMap<string, number> | undefined): number {
  const read = new Set(line.map(({ id }) => id)).size;
  return Math.max(read, plants?.get(line[0]?.group ?? '') ?? 0);
}
