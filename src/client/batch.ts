/** Sends a batch and reads its reports as they come. What each action does is up to the service. */
import type { Batch, BatchReport } from '../domain/schemas.ts';
import { toJson } from '../json/to-json.ts';
import { ConnectionError } from './errors.ts';
import { readLines } from './export-stream.ts';
import { errorsMax } from './import-parts.ts';
import { toGroup } from './make-group.ts';
import type { BatchOptions } from './options.ts';
import { checkId } from './requests.ts';
import { parseBatchReport } from './responses.ts';
import type { OpenAnswer, Transport } from './transport.ts';

/** Ids of one request, as the description says. */
const idsMax = 20_000;
/** Changes after which the service ends a batch without being done. */
const changedMax = 1_000_000n;
/** How long the service may wait for a busy store between two reports, in milliseconds. */
const silenceMs = 30_000;

export async function runBatch(
  transport: Transport,
  batch: Batch,
  { onProgress, signal }: BatchOptions,
): Promise<BatchReport> {
  const group = toGroup(batch);
  let total: BatchReport | undefined;
  for (const part of divide({ ...batch, group })) {
    const before: BatchReport | undefined = total;
    const outgoing = {
      method: 'POST',
      path: '/plants/batch',
      headers: { accept: 'application/x-ndjson' },
      body: toJson(part),
      waitMs: silenceMs,
      signal,
    };
    const report = await transport.read(outgoing, (open) =>
      readReports(open, signal, (each) => onProgress?.(add(before, each))),
    );
    total = add(before, report);
    if (!report.done) break;
  }
  return total ?? { group, done: true, read: 0n, changed: 0n, unchanged: 0n, refused: 0n, errors: [] };
}

/** The requests of a batch: with many ids there are several, which have one group. */
function* divide(batch: Batch): Generator<Batch> {
  if (batch.action === 'undo' || !('length' in batch.plants)) {
    yield batch;
    return;
  }
  const ids = batch.plants;
  ids.forEach(checkId);
  for (let from = 0; from < ids.length; from += idsMax) yield { ...batch, plants: ids.slice(from, from + idsMax) };
}

/** Resolves to the last report: a reply that is cut short fails instead. */
async function readReports(
  { response, deadline }: OpenAnswer,
  signal: AbortSignal | undefined,
  onReport: (report: BatchReport) => void,
): Promise<BatchReport> {
  let last: BatchReport | undefined;
  if (response.body !== null)
    for await (const line of readLines(response.body)) {
      signal?.throwIfAborted();
      deadline.restart();
      last = parseBatchReport(line);
      onReport(last);
    }
  // A proxy may end a reply that was cut short as if it were whole.
  if (last === undefined || (!last.done && last.changed < changedMax))
    throw new ConnectionError('response', 'Cannot use the response: it ends before the last report');
  return last;
}

function add(sum: BatchReport | undefined, report: BatchReport): BatchReport {
  if (sum === undefined) return report;
  return {
    ...report,
    read: sum.read + report.read,
    changed: sum.changed + report.changed,
    unchanged: sum.unchanged + report.unchanged,
    refused: sum.refused + report.refused,
    errors: [...sum.errors, ...report.errors].slice(0, errorsMax),
  };
}
