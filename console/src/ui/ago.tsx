/** A time relative to now, such as "2 minutes ago", with the exact time as its title. */
import { Observable, useValue } from '../observable.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
/** After this many days the date says more. */
const daysMax = 30;
const tickMs = 20_000;

const now = new Observable(Date.now());
setInterval(() => now.set(Date.now()), tickMs);

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** @param at in ISO 8601, or milliseconds since 1970. */
export function toDay(at: string | number): string {
  return day.format(new Date(at));
}

interface TimeProps {
  readonly at: string;
}

export function Ago({ at }: TimeProps) {
  const seconds = useSeconds(at);
  // Also if the clock of the service is ahead.
  const text =
    -seconds > daysMax * 86_400 ? exact.format(Date.parse(at)) : (toRelative(Math.min(0, seconds)) ?? 'just now');
  return (
    <time class="ago" dateTime={at} title={exact.format(Date.parse(at))}>
      {text}
    </time>
  );
}

/** A time that is still to come, such as "in 5 minutes". */
export function Soon({ at }: TimeProps) {
  return (
    <time dateTime={at} title={exact.format(Date.parse(at))}>
      {toRelative(Math.max(0, useSeconds(at))) ?? 'in less than a minute'}
    </time>
  );
}

/** From now until then, kept up to date; negative: since then. */
function useSeconds(at: string): number {
  return (Date.parse(at) - Math.max(useValue(now), Date.now())) / 1_000;
}

/** Undefined: less than a minute. */
function toRelative(seconds: number): string | undefined {
  const [unit, length] = units.find((each) => Math.abs(seconds) >= each[1]) ?? [];
  // Of what is over, whole units.
  return unit && relative.format(seconds < 0 ? Math.ceil(seconds / length) : Math.round(seconds / length), unit);
}
