/** The store at a glance: number of plants, tags, and the state of the service. */
import { useEffect, useState } from 'preact/hooks';
import type { TagCount } from '../../../src/client/client.ts';
import { isReady } from '../../../src/client/readiness.ts';
import { Activity } from '../history/activity.tsx';
import { useValue } from '../observable.ts';
import { noteAway } from '../session/connection.ts';
import { serviceUrl } from '../session/service-url.ts';
import type { Session } from '../session/session.ts';
import { largestTags, tally, type Tally } from '../plants/tags.ts';
import { tagLink } from '../plants/toolbar.tsx';
import { Notice, ScopeNotice } from '../ui/notice.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { TagChip } from '../ui/plant-text.tsx';

/** Bars in the chart. */
const barsMax = 16;
/** Interval of the readiness check, in milliseconds. */
const healthEveryMs = 5_000;

export function OverviewView({ current }: { readonly current: Session }) {
  const known = useValue(tally);
  return (
    <section class="view view-overview" aria-labelledby="overview-title">
      <header class="view-head">
        <h1 id="overview-title">Overview</h1>
      </header>
      <div class="overview scroll" tabIndex={0} role="region" aria-label="Figures, chart and activity">
        <div class="figures">
          {current.canRead && <Figures known={known} />}
          <Health />
        </div>
        {current.canRead ? (
          <div class="overview-parts">
            <Tags known={known} />
            <Activity current={current} />
          </div>
        ) : (
          <ScopeNotice needs="plants:read" what="read plants" />
        )}
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

/** Whether the service is ready, and the time of the check as this browser sees it. */
function Health() {
  const [health, setHealth] = useState<{ readonly isReady: boolean; readonly ms: number } | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    const ask = async (): Promise<void> => {
      if (document.hidden) return;
      const start = performance.now();
      const answer = await isReady(serviceUrl);
      if (isOver) return;
      setHealth({ isReady: answer, ms: performance.now() - start });
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
        ) : health.isReady ? (
          <span class="health health-good">
            Ready <small>{Math.max(1, Math.round(health.ms))} ms round trip</small>
          </span>
        ) : (
          <span class="health health-bad">Not ready</span>
        )}
      </dd>
    </dl>
  );
}

function Tags({ known }: { readonly known: Tally | undefined }) {
  if (known?.tags.length === 0) {
    return (
      <Notice title="No tags yet">
        <p>Add tags to plants, such as climber or herb, to see how many there are of each.</p>
      </Notice>
    );
  }
  const bars = largestTags(known?.tags ?? [], barsMax);
  const most = Number(bars[0]?.plants ?? 1n);
  return (
    <section class="chart-card" aria-labelledby="chart-title">
      <header class="chart-head">
        <h2 id="chart-title">Plants by tag</h2>
        {known !== undefined && known.tags.length > bars.length && (
          <p class="soft small">
            The {bars.length} largest of {toCount(known.tags.length, 'tag')}
          </p>
        )}
      </header>
      <ol class="chart">
        {bars.map((bar) => (
          <Bar key={bar.tag} bar={bar} most={most} all={Number(known?.plants ?? 0n)} />
        ))}
      </ol>
    </section>
  );
}

interface BarProps {
  readonly bar: TagCount;
  /** Plants of the longest bar. */
  readonly most: number;
  /** Number of all plants. */
  readonly all: number;
}

function Bar({ bar: { tag, plants }, most, all }: BarProps) {
  const share = all === 0 ? 0 : (Number(plants) / all) * 100;
  return (
    <li>
      <a class="bar" {...tagLink(tag)}>
        <span class="bar-name">
          <TagChip tag={tag} />
        </span>
        <span class="bar-track" aria-hidden="true">
          <i style={{ width: `${Math.max(0.4, (Number(plants) / most) * 100)}%` }} />
        </span>
        <span class="bar-count">
          {toGrouped(plants)} <span class="for-readers">{plants === 1n ? 'plant' : 'plants'}, </span>
          <small>{share < 1 ? '<1' : Math.round(share)} %</small>
        </span>
      </a>
    </li>
  );
}
