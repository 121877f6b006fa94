/** The store at a glance: number of plants and tags, the state of the service, and what happened last. */
import { useEffect, useState } from 'preact/hooks';
import { isReady } from '../../../src/client/readiness.ts';
import { Activity } from '../history/activity.tsx';
import { useValue } from '../observable.ts';
import { noteAway } from '../session/connection.ts';
import { serviceUrl } from '../session/service-url.ts';
import type { Session } from '../session/session.ts';
import { tally, type Tally } from '../plants/tags.ts';
import { ScopeNotice } from '../ui/notice.tsx';
import { toGrouped } from '../ui/numbers.ts';

/** Interval of the readiness check, in milliseconds. */
const healthEveryMs = 5_000;

export function OverviewView({ current }: { readonly current: Session }) {
  const known = useValue(tally);
  return (
    <section class="view view-overview" aria-labelledby="overview-title">
      <header class="view-head">
        <h1 id="overview-title">Overview</h1>
      </header>
      <div class="overview scroll" tabIndex={0} role="region" aria-label="Figures and activity">
        <div class="figures">
          {current.canRead && <Figures known={known} />}
          <Health />
        </div>
        {current.canRead ? <Activity current={current} /> : <ScopeNotice needs="plants:read" what="read plants" />}
      </div>
    </section>
  );
}

function Figures({ known }: { readonly known: Tally | undefined }) {
  const tagged = known?.tags.reduce((sum, { plants }) => sum + plants, 0n);
  const untagged = known?.isWhole === true && tagged !== undefined ? known.plants - tagged : undefined;
  return (
    <>
      <Figure name="Plants" value={known?.plants} isMain />
      <Figure name={known?.isWhole === false ? 'Tags, at least' : 'Tags'} value={known?.tags.length} />
      {known?.isWhole !== false && <Figure name="Without a tag" value={untagged} />}
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: bigint | number | undefined;
  readonly isMain?: boolean;
}

function Figure({ name, value, isMain = false }: FigureProps) {
  return (
    <dl class={isMain ? 'figure figure-main' : 'figure'}>
      <dt class="soft small">{name}</dt>
      <dd>{value === undefined ? <i class="bone bone-figure" /> : toGrouped(value)}</dd>
    </dl>
  );
}

/** Whether the service is ready. */
function Health() {
  const [health, setHealth] = useState<boolean | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    const ask = async (): Promise<void> => {
      if (document.hidden) return;
      const answer = await isReady(serviceUrl);
      if (isOver) return;
      setHealth(answer);
      if (!answer) noteAway();
    };
    void ask();
    const timer = setInterval(() => void ask(), healthEveryMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, []);
  return (
    <dl class="figure figure-health">
      <dt class="soft small">Service</dt>
      <dd>
        {health === undefined ? (
          <i class="bone bone-figure" />
        ) : health ? (
          <span class="health health-good">Ready</span>
        ) : (
          <span class="health health-bad">Not ready</span>
        )}
      </dd>
    </dl>
  );
}
