/** Asks whether the service takes requests; needs no token. */

/** Maximum time for a response, in milliseconds. */
const answerWithinMs = 5_000;

/** Resolves to whether the service at this address is ready; false if it does not respond. */
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
