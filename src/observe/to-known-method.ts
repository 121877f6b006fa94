/** The method of a request as a label: the values of a client must not be without a bound. */

/** Methods that the semantic conventions of OpenTelemetry for HTTP know. */
const methods: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE'.split(' '));

/** Returns the method, or `_OTHER` if it is not one of HTTP. */
export function toKnownMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER';
}
