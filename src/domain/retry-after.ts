/** The one parser of Retry-After (RFC 9110, section 10.2.3), for the client and for webhooks. */

/** The longest wait that a field can ask for, in milliseconds. */
const retryAfterMsMax = 86_400_000;

/** HTTP-date: the current form and the two obsolete ones (RFC 9110, section 5.6.7). */
const httpDate = /^[A-Z][a-z]{2,8},? [\w -]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/;

/**
 * Returns the wait in milliseconds from `now`, at most `retryAfterMsMax`: any number of digits, or
 * an HTTP-date. Undefined for anything else, which is ignored.
 */
export function parseRetryAfter(field: string | null | undefined, now: number): number | undefined {
  if (field === null || field === undefined) return undefined;
  if (/^\d+$/.test(field)) return Math.min(Number(field) * 1000, retryAfterMsMax);
  // The form of asctime() has no zone, and means GMT, too.
  const at = httpDate.test(field) ? Date.parse(field.endsWith('GMT') ? field : `${field} GMT`) : NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), retryAfterMsMax);
}
