/** Sends the request of the dialog, and turns the response into text. */
import type { Parameter } from './operation.ts';

export interface Received {
  readonly status: string;
  readonly ms: number;
  readonly headers: string;
  readonly body: string;
}

/** Path and query of a request. Optional parameters without a value are left out; values of a list are separated by commas or spaces. */
export function toTarget(
  path: string,
  parameters: readonly Parameter[],
  values: Readonly<Record<string, string>>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = parameters
    .filter((each) => each.in === 'query')
    .flatMap(({ name, isList }) => {
      const value = values[name] ?? '';
      return (isList ? value.split(/[\s,]+/) : [value])
        .filter((each) => each !== '')
        .map((each) => `${name}=${encodeURIComponent(each)}`);
    })
    .join('&');
  return filled + (query === '' ? '' : `?${query}`);
}

export interface HeaderField {
  readonly name: string;
  readonly value: string;
  /** What the person calls it; absent: its name. */
  readonly label?: string;
}

/** @throws Error that names the field with a character that a header cannot hold. */
export function toHeaders(fields: readonly HeaderField[]): Headers {
  const headers = new Headers();
  for (const { name, value, label = name } of fields) {
    try {
      headers.set(name, value);
    } catch {
      throw new Error(`Not sent: ${label} contains a character that a header cannot hold.`);
    }
  }
  return headers;
}

/** Bytes of a body that are shown. */
const shownBytesMax = 262_144;

/** Sends a request; resolves to its response as text, or to why there is none. */
export async function receive(url: string, request: RequestInit): Promise<Received | string> {
  const start = performance.now();
  try {
    const response = await fetch(url, request);
    const body = await readStart(response);
    return {
      status: `${response.status} ${response.statusText}`.trim(),
      ms: Math.round(performance.now() - start),
      headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
      body: response.headers.get('content-type')?.split(';')[0]?.endsWith('json') === true ? toIndented(body) : body,
    };
  } catch (error) {
    return `No response: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function readStart(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return text;
    text += value;
    if (text.length <= shownBytesMax) continue;
    await reader?.cancel();
    return `${text.slice(0, shownBytesMax)}\n… (the rest is not shown)`;
  }
}

/** Indented where that changes no digit (`exact-json.ts`); otherwise as it came. */
function toIndented(text: string): string {
  try {
    const indented = JSON.stringify(JSON.parse(text), null, 2);
    return indented.replaceAll(/\s/g, '') === text.replaceAll(/\s/g, '') ? indented : text;
  } catch {
    return text;
  }
}
