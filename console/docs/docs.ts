/** Entry point of the documentation page: mounts the reference component, whose script is a file of its own. */
import { applyTheme, theme } from '../src/ui/theme.ts';
import { prepareBar } from './bar.ts';
import { installExactJson } from './exact-json.ts';
import { listOperations, type Operation } from './operation.ts';
import { patchReference } from './patch-reference.ts';
import { toReadable } from './readable-description.ts';
import { openTryRequest } from './try-request.tsx';

type Configuration = Readonly<Record<string, unknown>>;

interface Component {
  createApiReference(place: string, configuration: Configuration): unknown;
}

/** The page is at `/docs` below the base path, and this script in a folder of it. */
const descriptionUrl = new URL(/* @vite-ignore */ '../../openapi.json', import.meta.url);
const serverUrl = new URL('.', descriptionUrl).href.replace(/\/$/, '');

/** Hidden: clients that write ids as numbers of their language, which may round them, and rarely used ones. */
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

applyTheme();
installExactJson();
// Zod, which the component has in it, would try whether it may evaluate text. The policy forbids that, and a browser would report it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
// Requested before the component is parsed, which takes longer.
const description = fetch(descriptionUrl, { headers: { accept: 'application/json' } }).then(
  async (response) => JSON.parse(await response.text()) as Readonly<Record<string, unknown>>,
);
description.catch(() => undefined);

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const isDark = (): boolean => (theme.value === 'system' ? prefersDark.matches : theme.value === 'dark');
const configuration: Configuration = {
  url: descriptionUrl.href,
  customFetch: fetchDescription,
  // The bytes of the service, not what the component makes of them.
  documentDownloadType: 'direct',
  hiddenClients,
  // Without it, the samples of the client, which needs Node.
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  forceDarkModeState: isDark() ? 'dark' : 'light',
  hideDarkModeToggle: true,
  defaultOpenAllTags: true,
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
  Scalar.createApiReference('#reference', configuration);
  theme.subscribe(showTheme);
  prefersDark.addEventListener('change', showTheme);
  new MutationObserver(showTheme).observe(document.body, { attributeFilter: ['class'] });
  prepareBar(serverUrl);
  patchReference((method, path) => void tryRequest(method, path));
});

/** The component sets these classes by rules of its own; the theme of the console decides. */
function showTheme(): void {
  const { classList } = document.body;
  // Setting a class that is set would be observed without end.
  if (classList.contains('dark-mode') !== isDark()) classList.toggle('dark-mode');
  if (classList.contains('light-mode') === isDark()) classList.toggle('light-mode');
}

async function tryRequest(method: string, path: string): Promise<void> {
  const operation = listOperations(await description).find(
    (each: Operation) => each.method === method && each.path === path,
  );
  if (operation !== undefined) openTryRequest(operation, serverUrl);
}

/** Called by the component for the description alone: requests that a person tries are sent by our own dialog. */
async function fetchDescription(): Promise<Response> {
  const readable = toReadable(await description, serverUrl);
  return new Response(JSON.stringify(readable), { headers: { 'content-type': 'application/json' } });
}
