/** The clock and timer of the process, taken before any test can replace them. */
import timers from 'node:timers/promises';

export const now = performance.now.bind(performance);
export const sleep = timers.setTimeout;
