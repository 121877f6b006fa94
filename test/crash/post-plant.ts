/** Creates one plant over HTTP and returns what came back. Which plant, and what the response means, is not known here. */
import type { Agent } from 'node:http';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { sendRequest } from './send-request.ts';

export interface PlantAnswer {
  readonly status: number;
  readonly body: string;
  readonly isReplayed: boolean;
  readonly retryAfter: string | undefined;
}

/** Rejects when no complete response comes: it is then unknown whether the plant is stored. */
export async function postPlant(port: number, plant: NewPlant, agent: Agent): Promise<PlantAnswer> {
  const request = { method: 'POST', path: '/plants', body: toPlantText(plant) };
  const { status, headers, body } = await sendRequest(port, request, agent);
  return { status, body, isReplayed: headers['idempotent-replayed'] === 'true', retryAfter: headers['retry-after'] };
}

/** The plant as JSON: `JSON.stringify` cannot write a bigint. */
function toPlantText({ id, name, tag }: NewPlant): string {
  const members = [`"id":${id}`, `"name":${JSON.stringify(name)}`];
  if (tag !== undefined) members.push(`"tag":${JSON.stringify(tag)}`);
  return `{${members.join()}}`;
}
