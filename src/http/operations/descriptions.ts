/** The served descriptions: 200 kB that tools poll, compressed once for each latest address. */
import { type DescriptionTexts, type Servable, serverDescription } from '../../contract/server-description.ts';
import { type Reply, securityHeaders } from '../wire/reply.ts';
import { chooseRepresentation, type Representations, toRepresentations } from '../wire/representations.ts';
import type { Call } from './call.ts';

/** Maximum number of addresses and formats: clients choose the address, so there may be many. */
const cachedMax = 8;
const mediaTypes = { json: 'application/json', yaml: 'application/yaml' } as const;

/** The full description, and the one operation that it began with. */
export interface Served {
  readonly contract: Servable;
  readonly sample: Servable;
}

export class Descriptions {
  readonly #served: Served;
  readonly #basePath: string;
  readonly #cached = new Map<string, Representations>();

  constructor(served: Served, basePath: string) {
    this.#served = served;
    this.#basePath = basePath;
  }

  /** GET /openapi.json: the description with the address of this request. */
  readonly getDescriptionJson = (call: Call<'getDescriptionJson'>): Promise<Reply> =>
    this.#reply(call, 'contract', 'json');

  /** GET /openapi.yaml: the same as it was written. */
  readonly getDescriptionYaml = (call: Call<'getDescriptionYaml'>): Promise<Reply> =>
    this.#reply(call, 'contract', 'yaml');

  readonly getSampleJson = (call: Call<'getSampleJson'>): Promise<Reply> => this.#reply(call, 'sample', 'json');

  readonly getSampleYaml = (call: Call<'getSampleYaml'>): Promise<Reply> => this.#reply(call, 'sample', 'yaml');

  async #reply(
    { client }: Call<'getDescriptionJson' | 'getDescriptionYaml' | 'getSampleJson' | 'getSampleYaml'>,
    name: keyof Served,
    format: keyof DescriptionTexts,
  ): Promise<Reply> {
    // A relative URL if the address is unknown: clients resolve it against their own.
    const serverUrl = `${client.address()}${this.#basePath}` || '/';
    const reply = await chooseRepresentation(this.#find(serverUrl, name, format), client.headers);
    return { ...reply, isOwn: true };
  }

  #find(serverUrl: string, name: keyof Served, format: keyof DescriptionTexts): Representations {
    const key = `${name} ${format} ${serverUrl}`;
    const found =
      this.#cached.get(key) ??
      toRepresentations(
        {
          content: Buffer.from(serverDescription(this.#served[name], serverUrl)[format]),
          br: undefined,
          hasGzip: true,
        },
        { ...securityHeaders, 'cache-control': 'no-cache', 'content-type': mediaTypes[format] },
      );
    // The latest is last.
    this.#cached.delete(key);
    this.#cached.set(key, found);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > cachedMax && oldest !== undefined) this.#cached.delete(oldest);
    return found;
  }
}
