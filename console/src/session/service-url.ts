/** The base URL of the service, derived from the address of this page: base path and proxy included. */
export const serviceUrl = location.origin + location.pathname.replace(/\/console\/?$/, '');
