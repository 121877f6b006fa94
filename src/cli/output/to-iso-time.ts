/** Milliseconds since 1970 -> `2026-01-31T12:00:00Z`, the only form of time that commands show. */
export function toIsoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
