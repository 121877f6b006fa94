/** The console's client on a service, through a gate: a test holds, loses or refuses what passes it. */
import { OwnClient } from '../../console/src/copy/own-client.ts';
import type { Observable } from '../../console/src/observable.ts';
import type { Service } from '../support/service-run.ts';

type Send = () => Promise<Response>;
type Act = (send: Send) => Promise<Response>;

export interface Gate {
  readonly client: OwnClient;
  /** Method and path of each request so far. */
  readonly requests: readonly string[];
  /** From now on such requests do this, until the returned function is called. */
  readonly on: (request: RegExp, act: Act) => () => void;
  /** Holds the responses to such requests. `sent` resolves when the service has answered one. */
  readonly hold: (request: RegExp) => { readonly sent: Promise<void>; readonly release: () => void };
}

export function openGate(service: Service): Gate {
  const requests: string[] = [];
  const rules = new Map<symbol, { readonly request: RegExp; readonly act: Act }>();
  const client = new OwnClient({
    url: service.url,
    token: service.token,
    retries: 0,
    fetch: (address, init) => {
      const request = `${init?.method ?? 'GET'} ${new Request(address).url.slice(service.url.length)}`;
      requests.push(request);
      const rule = [...rules.values()].find((each) => each.request.test(request));
      const send: Send = () => fetch(address, init);
      return rule === undefined ? send() : rule.act(send);
    },
  });
  const on: Gate['on'] = (request, act) => {
    const key = Symbol(request.source);
    rules.set(key, { request, act });
    return () => void rules.delete(key);
  };
  const hold: Gate['hold'] = (request) => {
    const [sent, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const open = on(request, async (send) => {
      const response = await send();
      sent.resolve(undefined);
      await released.promise;
      return response;
    });
    return {
      sent: sent.promise,
      release: () => {
        open();
        released.resolve(undefined);
      },
    };
  };
  return { client, requests, on, hold };
}

/** The request is executed, and its response lost. */
export const lose: Act = async (send) => {
  await (await send()).text();
  throw new TypeError('fetch failed');
};

/** The service responds with this error instead. */
export function refuse(status: number, error: number): Act {
  return () => Promise.resolve(Response.json({ error, message: `Error ${error}` }, { status }));
}

/** Resolves to the value once it is such. */
export async function until<Value>(observable: Observable<Value>, isWanted: (value: Value) => boolean): Promise<Value> {
  if (isWanted(observable.value)) return observable.value;
  return new Promise((resolve) => {
    const stop = observable.subscribe(() => {
      if (!isWanted(observable.value)) return;
      stop();
      resolve(observable.value);
    });
  });
}
