/** Returns a time as replies have it, in ISO 8601. @param ms since 1970. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same of a time that may be absent. */
export function toOptionalTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toTime(ms);
}
