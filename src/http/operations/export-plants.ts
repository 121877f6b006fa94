/** GET /plants/export: all plants of one snapshot, as NDJSON or CSV. How content is sent is in send-stream.ts. */
import type { IncomingMessage } from 'node:http';
import type { ExportPlantsParameters, StoredPlant } from '../../domain/schemas.ts';
import type { PlantStore } from '../../domain/store.ts';
import { csvHeader, toCsvLine } from '../../rows/csv-write.ts';
import { preferredType } from '../steps/negotiate.ts';
import { type Answer, securityHeaders, toStoredPlantJson } from '../wire/reply.ts';
import type { ContentStream } from '../wire/send-stream.ts';

/** Length of a text, in UTF-16 units, from which on it is sent. */
const pieceLength = 65_536;

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

/** GET /plants/export */
export async function exportPlants(
  { tag, name }: ExportPlantsParameters,
  { method, headers: { accept } }: IncomingMessage,
  plants: PlantStore,
): Promise<Answer> {
  const format = preferredType(accept, ['application/x-ndjson', 'text/csv']) === 'text/csv' ? csv : ndjson;
  const headers = { ...securityHeaders, 'content-type': format.contentType, vary: 'Accept' };
  if (method === 'HEAD') return { status: 200, headers };
  const filter = { ...(tag === undefined ? {} : { tag }), ...(name === undefined ? {} : { namePrefix: name }) };
  const batches = plants.snapshot(filter)[Symbol.asyncIterator]();
  // Taken before the head is sent: afterwards nothing could tell the client that the store is busy.
  const first = await batches.next();
  return {
    status: 200,
    headers: { ...headers, trailer: 'Plants-Exported' },
    stream: toContent(first, batches, format),
  };
}

async function* toContent(
  first: IteratorResult<readonly StoredPlant[]>,
  batches: AsyncIterator<readonly StoredPlant[]>,
  { header, toLine }: Format,
): ContentStream {
  let count = 0;
  let text = header;
  try {
    for (let next = first; next.done !== true; next = await batches.next()) {
      count += next.value.length;
      for (const plant of next.value) {
        text += toLine(plant);
        if (text.length >= pieceLength) {
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
