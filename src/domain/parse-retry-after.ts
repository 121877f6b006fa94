/** Parses the header field Retry-After (RFC 9110, section 10.2.3), of the service and of receivers. */

/** Longest delay that is heeded, in seconds. */
const secondsMax = 86_400;

const time = String.raw`(?<time>\d\d:\d\d:\d\d)`;
/** The three forms of HTTP-date (RFC 9110, section 5.6.7). */
const dateForms: readonly RegExp[] = [
  String.raw`[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${time} GMT`,
  String.raw`[A-Z][a-z]+day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) ${time} GMT`,
  String.raw`[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${time} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`));
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Seconds to wait from `now`, at most 24 hours: digits, or an HTTP-date. Undefined for anything else.
 * @param now in milliseconds since 1970-01-01T00:00:00Z.
 */
export function parseRetryAfter(field: string | null | undefined, now: number): number | undefined {
  const text = field ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((parseHttpDate(text, now) - now) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), secondsMax);
}

/** In milliseconds since 1970-01-01T00:00:00Z; NaN if the text is none. */
function parseHttpDate(text: string, now: number): number {
  const parts = dateForms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return NaN;
  const { day = '', month = '', year = '' } = parts;
  const toTime = (fullYear: number): number => {
    const monthNumber = String(months.indexOf(month) + 1).padStart(2, '0');
    const at = Date.parse(`${fullYear}-${monthNumber}-${day.trim().padStart(2, '0')}T${parts['time']}Z`);
    // Date.parse reads the 31st of a shorter month as the next one.
    return new Date(at).getUTCDate() === Number(day) ? at : NaN;
  };
  if (year.length === 4) return toTime(Number(year));
  const century = Math.floor(new Date(now).getUTCFullYear() / 100) * 100;
  const at = toTime(century + Number(year));
  // Two digits more than 50 years ahead mean the past.
  return at > now + 50 * 365.25 * 86_400_000 ? toTime(century - 100 + Number(year)) : at;
}
