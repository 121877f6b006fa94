/** Asks whether the service takes requests; needs no token. Requests about plants are client.ts's matter. */

/** How long an answer may take, in milliseconds. */
const answerWithinMs = 5_000;

/** Resolves to whether the service at this address, base path included, says that it is ready; false too when nothing answers. */
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
