/** Pause in typing before the service is asked, in milliseconds. */
export const typingMs = 140;
