/**
 * Numbers of the errors that the client and apps on it act on, without the texts of the registry,
 * which a page in a browser should not load. The registry takes them from here.
 */

export const plantIdInvalid = 40011;
export const csvMalformed = 40015;
export const rowTooLong = 40017;
/** A 404 that is about the plant, not about the path; so are the next two about theirs. */
export const plantUnknown = 40402;
export const webhookUnknown = 40403;
export const tokenUnknown = 40405;
export const requestTimeout = 40801;
export const plantIdTaken = 40901;
export const plantChanged = 40905;
export const storeBusy = 50301;
export const storeFull = 50302;
export const shuttingDown = 50304;
export const storeUnavailable = 50305;
