/** The newest changes of all plants, live. */
import { useState } from 'preact/hooks';
import { plantLink } from '../plants/toolbar.tsx';
import type { Session } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { PlantName } from '../ui/plant-text.tsx';
import { Author, Difference, verbs } from './change-text.tsx';
import { useChanges } from './use-changes.ts';

const changesMax = 20;

export function Activity({ current }: { readonly current: Session }) {
  const { client } = current;
  const { changes, error } = useChanges(
    (next, signal) => client.changesPage(next ?? { order: 'desc', pageSize: changesMax }, { signal }),
    () => true,
    client,
  );
  /** What was shown when the pointer or the focus came: nothing moves until it leaves. */
  const [paused, setPaused] = useState<typeof changes>(undefined);
  const shown = (paused ?? changes)?.slice(0, changesMax);
  return (
    <section class="activity" aria-labelledby="activity-title">
      <h2 id="activity-title">Activity</h2>
      {error !== undefined && <p role="alert">{error}</p>}
      {shown?.length === 0 && <p class="soft">No changes yet.</p>}
      <ol
        aria-busy={changes === undefined}
        onMouseEnter={() => setPaused(shown)}
        onMouseLeave={() => setPaused(undefined)}
        onFocusIn={() => setPaused(shown)}
        onFocusOut={() => setPaused(undefined)}
      >
        {shown?.map((change) => (
          <li key={change.position} class="event">
            <p>
              <Author by={change.by} /> {verbs[change.kind]}{' '}
              <a {...plantLink(change.id)}>
                <PlantName name={(change.plant ?? change.before)?.name ?? ''} />
              </a>
            </p>
            <Ago at={change.at} />
            {change.kind === 'replaced' && <Difference change={change} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
