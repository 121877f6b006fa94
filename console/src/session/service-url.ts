/** The base URL of the service, derived from the address of this page: base path and proxy included. */
export const serviceUrl = location.origin + location.pathname.replace(/\/(?:console|docs)\/?$/, '');

/** Where the browser keeps something: a place for each service, as several may share an origin, each below a base path of its own. */
export function toStorageKey(name: string): string {
  return `plant-store.${name} ${new URL(serviceUrl).pathname}`;
}
