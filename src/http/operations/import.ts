/** POST /plants/import: the rows of the body, by its media type. */
import { runImport } from '../../bulk/import-run.ts';
import type { Store } from '../../domain/store.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { BulkLimits, Call } from './call.ts';
import { openRows } from './import-rows.ts';

/**
 * POST /plants/import
 * @throws ServiceError `store_busy` if there is no place; `body_missing`, `request_timeout`, and like
 * `runImport`.
 */
export async function importPlants(call: Call<'importPlants'>, store: Store, limits: BulkLimits): Promise<Reply> {
  const { parameters, body, principal, client } = call;
  client.onGone(limits.places.take(principal.limitKey));
  const mayBeGone = new AbortController();
  client.onGone(() => mayBeGone.abort());
  client.onHalfClosed(() => mayBeGone.abort());
  const source = { chunks: body.chunks, reader: openRows(body.mediaType, body.parseRow) };
  const report = await runImport(source, store, {
    rules: { ...parameters, dryRun: parameters.dryRun ?? false },
    by: principal.tokenId,
    isAllowed: () => client.isAllowed(),
    shutdown: limits.shutdown,
    mayBeGone: mayBeGone.signal,
  });
  return ok(report);
}
