/** Sends one plant over HTTP and says what came back. Which plant, and what it means, is not known here. */
import { type Agent, request } from 'node:http';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { token } from './service-process.ts';

export interface PlantAnswer {
  readonly status: number;
  readonly body: string;
  readonly isReplayed: boolean;
  readonly retryAfter: string | undefined;
}

/** The plant as JSON: `JSON.stringify` cannot write a bigint. */
export function toPlantText({ id, name, tag }: NewPlant): string {
  const members = [`"id":${id}`, `"name":${JSON.stringify(name)}`];
  if (tag !== undefined) members.push(`"tag":${JSON.stringify(tag)}`);
  return `{${members.join()}}`;
}

/** Rejects when no whole answer comes: then nothing is known of the plant. */
export function postPlant(port: number, plant: NewPlant, agent: Agent): Promise<PlantAnswer> {
  return new Promise((resolve, reject) => {
    const text = toPlantText(plant);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const sent = request({ host: '127.0.0.1', port, path: '/plants', method: 'POST', headers, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (body += part));
      response.on('error', reject);
      response.on('end', () => {
        if (!response.complete) return reject(new Error('The answer was cut'));
        const isReplayed = response.headers['idempotent-replayed'] === 'true';
        resolve({ status: response.statusCode ?? 0, body, isReplayed, retryAfter: response.headers['retry-after'] });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
