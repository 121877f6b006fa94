/** POST /plants/import: the rows of the body, by its media type. */
import { runImport } from '../../bulk/import-run.ts';
import type { RunLimits } from '../../bulk/run-options.ts';
import type { Store } from '../../domain/store.ts';
import type { Space } from '../space.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';
import { openRows } from './import-rows.ts';

/**
 * POST /plants/import
 * @throws ServiceError `body_missing`, `request_timeout`, and like `runImport`.
 */
export async function importPlants(
  call: Call<'importPlants'>,
  store: Store,
  { groups }: Space,
  limits: RunLimits,
): Promise<Reply> {
  const { parameters, body, principal, client } = call;
  const mayBeGone = new AbortController();
  client.onGone(() => mayBeGone.abort());
  client.onHalfClosed(() => mayBeGone.abort());
  const source = { chunks: body.chunks, reader: openRows(body.mediaType, body.parseRow) };
  const report = await runImport(source, store, {
    ...limits,
    rules: { ...parameters, dryRun: parameters.dryRun ?? false },
    principal,
    groups,
    isAllowed: () => client.isAllowed(),
    mayBeGone: mayBeGone.signal,
  });
  return ok(report);
}
