/** POST /plants/batch. It goes on to its end without its client: a page that is closed leaves nothing half done. */
import { BatchRun } from '../../bulk/batch-run.ts';
import type { RunLimits } from '../../bulk/run-options.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { PlantSelection } from '../../domain/schemas.ts';
import type { Store } from '../../domain/store.ts';
import type { Space } from '../space.ts';
import { ok, type Reply, securityHeaders } from '../wire/reply.ts';
import type { ContentStream } from '../wire/send-stream.ts';
import type { Call } from './call.ts';

const ndjson = 'application/x-ndjson';

/**
 * POST /plants/batch
 * @throws ServiceError `batch_invalid`, and like `BatchRun.complete`.
 */
export async function batchPlants(
  call: Call<'batchPlants'>,
  store: Store,
  { groups }: Space,
  limits: RunLimits,
): Promise<Reply> {
  const { body, mediaType, principal, client } = call;
  if ('plants' in body) checkSelection(body.plants);
  const run = new BatchRun(store, {
    ...limits,
    batch: body,
    principal,
    groups,
    isAllowed: () => client.isAllowed(),
    charge: (bytes) => client.charge(bytes),
  });
  const report = run.complete();
  if (mediaType !== ndjson) return ok(await report);
  // The batch goes on without a reader; a reader gets the error from the stream.
  report.catch(() => undefined);
  // An error before the first slice has its own status.
  await Promise.race([report, run.nextSlice]);
  return { status: 200, headers: { ...securityHeaders, 'content-type': ndjson }, stream: streamReports(run, report) };
}

function checkSelection(plants: PlantSelection): void {
  if ('length' in plants) return;
  // Whether both would have to hold is not clear from the request.
  if (plants.ids !== undefined && Object.keys(plants).length > 1)
    throw new ServiceError('batch_invalid', { detail: '"plants.ids" must be alone' });
  // Enumerations of a boolean are none in most languages: the schema allows false.
  for (const member of ['all', 'untagged'] as const)
    if (plants[member] === false)
      throw new ServiceError('batch_invalid', { detail: `"plants.${member}" must be true` });
}

async function* streamReports(run: BatchRun, report: Promise<string>): ContentStream {
  for (;;) {
    const slice = run.nextSlice;
    yield `${run.toProgress()}\n`;
    const last = await Promise.race([report, slice]);
    if (last === undefined) continue;
    yield `${last}\n`;
    return {};
  }
}
