/** The newest changes of all plants, live. Those that were made together are one line, and a batch can be undone. */
import { useState } from 'preact/hooks';
import type { Change, Page, PlantClient } from '../../../src/client/client.ts';
import { importPrefix } from '../../../src/client/make-group.ts';
import { useValue } from '../observable.ts';
import { running, undoBatch } from '../plants/run-batch.ts';
import { plantLink } from '../plants/toolbar.tsx';
import type { Session } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { ManagedView } from '../ui/managed-view.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import { Author, Difference, verbs } from './change-text.tsx';
import { groupChanges, hasWhole, isCut, isTagging } from './group-changes.ts';
import { readEnough } from './read-enough.ts';
import { useChanges } from './use-changes.ts';

/** Lines at first, and more with each click. */
const linesStep = 20;
/** Changes per request, and the most requests that fill the lines: a long import is read in parts. */
const pageSize = 200;
const pagesMax = 5;
/** Plants of a line that opens. */
const listedMax = 100;

export function ActivityView({ current }: { readonly current: Session }) {
  if (!current.canRead)
    return <ManagedView current={current} title="Activity" needs="plants:read" what="read plants" />;
  return (
    <section class="view" aria-labelledby="activity-title">
      <header class="view-head">
        <h1 id="activity-title">Activity</h1>
      </header>
      <Activity current={current} />
    </section>
  );
}

function Activity({ current }: { readonly current: Session }) {
  const { client } = current;
  const { changes, error, more } = useChanges(
    (next, signal) => readLines(client, next, signal),
    () => true,
    client,
  );
  const [linesMax, setLinesMax] = useState(linesStep);
  /** What was shown when the pointer or the focus came: nothing moves until it leaves. */
  const [paused, setPaused] = useState<typeof changes>(undefined);
  const shown = paused ?? changes ?? [];
  const lines = groupChanges(shown);
  const hasMore = lines.length > linesMax;
  return (
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
            isCut={more !== undefined && isCut(line, shown)}
            current={current}
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
  );
}

interface LineProps {
  /** Newest first. */
  readonly line: readonly Change[];
  /** There may be more in what is not read yet. */
  readonly isCut: boolean;
  readonly current: Session;
}

function Line({ line, isCut, current: { client, canWrite } }: LineProps) {
  const isBusy = useValue(running) !== undefined;
  const [change] = line;
  if (change === undefined) return null;
  const { group, kind, at, by } = change;
  const isOne = line.length === 1 && !isCut;
  return (
    <li class="event">
      {isOne ? (
        <p>
          <Author by={by} /> {verbs[kind]} <PlantLink change={change} />
        </p>
      ) : (
        <Joined line={line} change={change} isCut={isCut} />
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

function PlantLink({ change: { id, plant, before } }: { readonly change: Change }) {
  return (
    <a {...plantLink(id)}>
      <PlantName name={(plant ?? before)?.name ?? ''} />
    </a>
  );
}

interface JoinedProps extends Omit<LineProps, 'current'> {
  /** The first of the line. */
  readonly change: Change;
}

function Joined({ line, change, isCut }: JoinedProps) {
  const [isOpen, setOpen] = useState(false);
  const plants = new Set(line.map(({ id }) => id)).size;
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        <Author by={change.by} />{' '}
        <Done line={line} change={change} count={isCut ? `${toGrouped(plants)}+ plants` : toCount(plants, 'plant')} />
      </summary>
      {isOpen && (
        <ol>
          {line.slice(0, listedMax).map((each) => (
            <li key={each.position}>
              <PlantLink change={each} />
              {each.kind === 'replaced' && <Difference change={each} />}
            </li>
          ))}
          {line.length > listedMax && <li class="soft">and {toGrouped(line.length - listedMax)} more</li>}
        </ol>
      )}
    </details>
  );
}

/** What was done to the plants; the tag, if all got the same. */
function Done({
  line,
  change: { kind, group, plant },
  count,
}: Omit<JoinedProps, 'isCut'> & { readonly count: string }) {
  if (group?.startsWith(importPrefix) === true) return <>imported {count}</>;
  if (!line.every((each) => each.kind === kind)) return <>changed {count}</>;
  const isTag = isTagging(line);
  if (isTag && plant?.tag === undefined) return <>removed the tag of {count}</>;
  return (
    <>
      {isTag ? 'tagged' : verbs[kind]} {count} {isTag && <TagChip tag={plant?.tag} />}
    </>
  );
}

/** Reads until the lines are filled and whole, within the limit. */
async function readLines(client: PlantClient, next: string | undefined, signal: AbortSignal): Promise<Page<Change>> {
  const from = next ?? ({ order: 'desc', pageSize } as const);
  return readEnough(client, from, signal, pagesMax, (items) => hasWhole(items, linesStep));
}
