/** GET /plants/export: all plants of one snapshot, as NDJSON or CSV. send-stream.ts sends them. */
import { ServiceError } from '../../domain/errors.ts';
import type { StoredPlant } from '../../domain/schemas.ts';
import type { Store } from '../../domain/store.ts';
import { csvHeader, toCsvLine } from '../../rows/csv-write.ts';
import { type Reply, securityHeaders } from '../wire/reply.ts';
import type { ContentStream } from '../wire/send-stream.ts';
import type { Call } from './call.ts';
import { toStoredPlantJson } from './plant-json.ts';

/** Length of the chunks to send, in UTF-16 units. */
const chunkLength = 65_536;

interface Format {
  readonly contentType: string;
  readonly header: string;
  readonly toLine: (plant: StoredPlant) => string;
}

const ndjson: Format = {
  contentType: 'application/x-ndjson',
  header: '',
  toLine: (plant) => `${toStoredPlantJson(plant)}\n`,
};
const csv: Format = { contentType: 'text/csv; charset=utf-8', header: csvHeader, toLine: toCsvLine };
const markedCsv: Format = { ...csv, header: `\uFEFF${csvHeader}` };

/** GET /plants/export */
export async function exportPlants(call: Call<'exportPlants'>, { plants }: Store): Promise<Reply> {
  const { parameters, mediaType, isHead } = call;
  const { byteOrderMark, ...filter } = parameters;
  const format = mediaType !== 'text/csv' ? ndjson : byteOrderMark ? markedCsv : csv;
  const headers = { ...securityHeaders, 'content-type': format.contentType, vary: 'Accept' };
  if (isHead) return { status: 200, headers };
  const batches = plants.snapshot(filter)[Symbol.asyncIterator]();
  // Read before the head is sent, to be able to report a busy store.
  const first = await batches.next();
  return {
    status: 200,
    headers: { ...headers, trailer: 'Plants-Exported' },
    stream: toContent(first, batches, format, call),
  };
}

async function* toContent(
  first: IteratorResult<readonly StoredPlant[]>,
  batches: AsyncIterator<readonly StoredPlant[]>,
  { header, toLine }: Format,
  call: Pick<Call<'exportPlants'>, 'isAllowed'>,
): ContentStream {
  let count = 0;
  let text = header;
  try {
    for (let next = first; next.done !== true; next = await batches.next()) {
      // A client that reads slowly may take hours, in which its token can be revoked.
      if (!(await call.isAllowed())) throw new ServiceError('token_invalid');
      count += next.value.length;
      for (const plant of next.value) {
        text += toLine(plant);
        if (text.length >= chunkLength) {
          yield text;
          text = '';
        }
      }
    }
    if (text !== '') yield text;
    return { 'plants-exported': String(count) };
  } finally {
    await batches.return?.();
  }
}
