/** The edge of the documentation page: mounts the reference on it. The component itself is a script beside this one. */
import { isTokenKept, prepareBar } from './bar.ts';
import { installExactJson } from './exact-json.ts';
import { toReadable } from './readable-description.ts';

type Configuration = Readonly<Record<string, unknown>>;

interface Component {
  createApiReference(
    place: string,
    configuration: Configuration,
  ): { updateConfiguration(changed: Configuration): void };
}

/** The page lies at `/docs` below the base path, and this script in a folder of it. */
const descriptionUrl = new URL(/* @vite-ignore */ '../../openapi.json', import.meta.url);
const serverUrl = new URL('.', descriptionUrl).href.replace(/\/$/, '');

/** Clients whose samples keep every digit of an id. Those that are hidden write ids as numbers of their language, which may round them, or are rarely asked for. */
const hiddenClients = {
  c: true,
  clojure: true,
  dart: true,
  fsharp: true,
  http: true,
  java: ['asynchttp', 'okhttp', 'unirest'],
  js: true,
  julia: true,
  node: true,
  objc: true,
  ocaml: true,
  php: true,
  powershell: true,
  python: ['aiohttp', 'httpx_async', 'python3'],
  r: true,
};

installExactJson();
// Asked for before the component is read, which takes longer.
const description = fetch(descriptionUrl, { headers: { accept: 'application/json' } });
description.catch(() => undefined);

const configuration = {
  url: descriptionUrl.href,
  customFetch: fetchReadably,
  // The very bytes of the service, not what the component makes of them.
  documentDownloadType: 'direct',
  hiddenClients,
  // There is one kind; said in full, it would not fit beside its heading.
  localization: { translations: { apiClient: { authSelector: { selectedType: '{type}' } } } },
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  proxyUrl: '',
};

document.addEventListener('DOMContentLoaded', () => {
  const { Scalar } = globalThis as unknown as { readonly Scalar: Component };
  const reference = Scalar.createApiReference('#reference', { ...configuration, persistAuth: isTokenKept() });
  prepareBar(serverUrl, (isKept) => reference.updateConfiguration({ ...configuration, persistAuth: isKept }));
});

/** The description the first time, readably; then whatever a person tries out, as it is. */
async function fetchReadably(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const isLoading = typeof input === 'string' && input === descriptionUrl.href && init?.method === undefined;
  if (!isLoading) return fetch(input, init);
  const response = await description;
  if (!response.ok) return response.clone();
  const readable = toReadable(JSON.parse(await response.clone().text()), serverUrl);
  return new Response(JSON.stringify(readable), { headers: { 'content-type': 'application/json' } });
}
