/** The requests of the service about webhooks. */
import type { ClientOptions } from '../../../src/client/client.ts';
import { parseValue } from '../../../src/client/responses.ts';
import { Transport } from '../../../src/client/transport.ts';

export const events = ['plant.created', 'plant.replaced', 'plant.deleted'] as const;
export type WebhookEvent = (typeof events)[number];

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly enabled: boolean;
  /** Why the service disabled it. */
  readonly disabledReason?: string;
  readonly notice?: string;
  /** The first failure since the last success, in ISO 8601. */
  readonly failingSince?: string;
}

export interface Delivery {
  readonly id: string;
  readonly event: WebhookEvent;
  readonly plantId: bigint;
  readonly status: 'delivered' | 'waiting' | 'failed';
  readonly attempts: bigint;
  readonly createdAt: string;
  readonly error?: string;
}

export interface TestResult {
  readonly delivered: boolean;
  readonly responseStatus?: number;
  readonly error?: string;
}

interface Call {
  readonly method: string;
  /** After `/webhooks`. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Longer than an attempt of the service to reach the receiver. */
const timeoutMs = 20_000;
const deliveriesMax = 50;

/** Every method throws what PlantClient throws. */
export class WebhookApi {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport({ ...options, retries: 1, timeoutMs });
  }

  async list(signal: AbortSignal): Promise<readonly Webhook[]> {
    return this.#call({ method: 'GET', path: '', signal });
  }

  async create(url: string, wanted: readonly WebhookEvent[]): Promise<Webhook & { readonly secret: string }> {
    return this.#call({ method: 'POST', path: '', body: { url, events: wanted } });
  }

  async setEnabled(id: string, enabled: boolean): Promise<Webhook> {
    return this.#call({ method: 'PATCH', path: `/${id}`, body: { enabled } });
  }

  async delete(id: string): Promise<void> {
    await this.#call({ method: 'DELETE', path: `/${id}` });
  }

  /** Replaces the secret. */
  async rotate(id: string): Promise<Webhook & { readonly secret: string }> {
    return this.#call({ method: 'POST', path: `/${id}/secret` });
  }

  async test(id: string): Promise<TestResult> {
    return this.#call({ method: 'POST', path: `/${id}/test` });
  }

  /** The newest first. */
  async deliveries(id: string, signal: AbortSignal): Promise<readonly Delivery[]> {
    return this.#call({ method: 'GET', path: `/${id}/deliveries?limit=${deliveriesMax}`, signal });
  }

  async retry(id: string, deliveryId: string): Promise<Delivery> {
    return this.#call({ method: 'POST', path: `/${id}/deliveries/${deliveryId}/retry` });
  }

  async #call<Result>({ method, path, body, signal }: Call): Promise<Result> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const outgoing = {
      method,
      path: `/webhooks${path}`,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': type } }),
      repetition: method === 'POST' ? 'harmful' : 'harmless',
      signal,
    } as const;
    const answer = await this.#transport.send(outgoing, [200, 201, 204]);
    return (answer.text === '' ? undefined : parseValue(answer.text)) as Result;
  }
}
