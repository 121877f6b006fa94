/**
 * Asks whether the service takes requests; needs no token. Requests about plants are
 * client.ts's matter.
 */

/** Maximum time for a response, in milliseconds. */
const answerWithinMs = 5_000;

/**
 * Resolves to whether the service at this address (with base path) is ready; false if it does
 * not respond.
 */
export async function isReady(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/readyz`, {
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(answerWithinMs),
    });
    return ok;
  } catch {
    return false;
  }
}
