/** A time relative to now, such as "2 minutes ago", with the exact time as its title. */
import { Observable, useValue } from '../observable.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
/** Seconds of each unit, the largest first. */
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
/** After this many days the date says more. */
const daysMax = 30;
/** How often the texts are updated, in milliseconds. */
const tickMs = 20_000;

const now = new Observable(Date.now());
setInterval(() => now.set(Date.now()), tickMs);

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** @param at in ISO 8601, or milliseconds since 1970. */
export function toDay(at: string | number): string {
  return day.format(new Date(at));
}

/** @param at in ISO 8601. */
export function Ago({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  const text = toAgo(time, Math.max(useValue(now), Date.now()));
  return (
    <time class="ago" dateTime={at} title={exact.format(time)}>
      {text}
    </time>
  );
}

/** A time that is still to come, such as "in 5 minutes". @param at in ISO 8601. */
export function Soon({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  const seconds = (time - Math.max(useValue(now), Date.now())) / 1_000;
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? [];
  return (
    <time dateTime={at} title={exact.format(time)}>
      {unit === undefined ? 'in less than a minute' : relative.format(Math.round(seconds / length), unit)}
    </time>
  );
}

function toAgo(time: number, reference: number): string {
  const seconds = (reference - time) / 1_000;
  if (seconds > daysMax * 86_400) return exact.format(time);
  for (const [unit, length] of units)
    if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  // Also if the clock of the service is ahead.
  return 'just now';
}
