/** Where the service is: the console is one of its pages, so the address of the page says it, base path and proxy included. */
export const serviceUrl = location.origin + location.pathname.replace(/\/console\/?$/, '');
