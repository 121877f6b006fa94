/** Sends one request over HTTP and returns the complete response. Which request, and what the response means, is not known here. */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { toJson } from '../../src/json/to-json.ts';
import { token } from './service-process.ts';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string | undefined;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Without a response in this time the connection is closed, in milliseconds: no test waits for ever. */
const responseTimeoutMs = 120_000;

/** Rejects when no complete response comes: it is then unknown what the service did. */
export function sendRequest(
  port: number,
  { method, path, headers, body }: SentRequest,
  agent: Agent,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const content =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const all = { authorization: `Bearer ${token}`, ...content, ...headers };
    const sent = request({ host: '127.0.0.1', port, path, method, headers: all, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () => {
        if (response.complete) resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        else reject(new Error('The response is incomplete'));
      });
    });
    sent.setTimeout(responseTimeoutMs, () => sent.destroy(new Error('No response in time')));
    sent.on('error', reject);
    sent.end(body);
  });
}

export interface PlantAnswer {
  readonly status: number;
  readonly body: string;
  readonly isReplayed: boolean;
  readonly retryAfter: string | undefined;
}

/** Rejects when no complete response comes: it is then unknown whether the plant is stored. */
export async function postPlant(port: number, plant: NewPlant, agent: Agent): Promise<PlantAnswer> {
  const request = { method: 'POST', path: '/plants', body: toJson(plant) };
  const { status, headers, body } = await sendRequest(port, request, agent);
  return { status, body, isReplayed: headers['idempotent-replayed'] === 'true', retryAfter: headers['retry-after'] };
}
