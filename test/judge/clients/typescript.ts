/** The clients of TypeScript. */
import type { Client } from './client.ts';
import { versions } from './versions.ts';

export const typescriptClients: Readonly<Record<string, Client>> = {
  'typescript-openapi-fetch': {
    ...typescript('openapi-fetch'),
    generator: 'openapi-fetch',
    version: `${versions.openapiFetch}, openapi-typescript ${versions.openapiTypescript}`,
    settings: 'with TypeScript 6: `npm install --legacy-peer-deps`',
    build: toTypeScript(
      [`openapi-fetch@${versions.openapiFetch}`, `openapi-typescript@${versions.openapiTypescript}`],
      'npx openapi-typescript openapi.json --output client/paths.d.ts',
    ),
    // The client has no functions: a call names the path and the method of the operation.
    toPattern: (id) => new RegExp(`^ +(get|put|post|patch|delete): operations\\["${id}"\\];`, 'm'),
  },
  'typescript-hey-api': {
    ...typescript('hey-api'),
    generator: '@hey-api/openapi-ts',
    version: versions.heyApi,
    settings: 'nothing',
    build: toTypeScript(
      [`@hey-api/openapi-ts@${versions.heyApi}`],
      'npx openapi-ts --input openapi.json --output client --plugins @hey-api/client-fetch @hey-api/sdk @hey-api/typescript',
    ),
    toPattern: (id) => new RegExp(`^export const ${id} = `, 'm'),
  },
  'typescript-orval': {
    ...typescript('orval'),
    generator: 'orval',
    version: versions.orval,
    settings: '`client: "fetch"`, a `mutator` for the address and the token',
    build: toTypeScript(
      [`orval@${versions.orval}`],
      `echo 'export default { plants: { input: "openapi.json", output: { target: "client/made.ts", client: "fetch", override: { mutator: { path: "fetcher.ts", name: "fetcher" } } } } };' > orval.config.mjs`,
      'npx orval --config orval.config.mjs',
    ),
    files: ['typescript/loop.ts', 'typescript/fetcher.ts', 'typescript/orval.ts'],
    toPattern: (id) => new RegExp(`^export const ${id} = `, 'm'),
  },
  'typescript-kubb': {
    ...typescript('kubb'),
    generator: 'kubb',
    version: versions.kubb,
    settings:
      'plugins `oas`, `ts`, `client` with `client: "fetch", dataReturnType: "full"`; a `Content-Type` by `setConfig`',
    build: toTypeScript(
      ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map((name) => `@kubb/${name}@${versions.kubb}`),
      `echo 'import { pluginClient } from "@kubb/plugin-client"; import { pluginOas } from "@kubb/plugin-oas"; import { pluginTs } from "@kubb/plugin-ts"; export default { root: ".", input: { path: "openapi.json" }, output: { path: "client", clean: true }, plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: "fetch", dataReturnType: "full" })] };' > kubb.config.js`,
      'npx kubb generate --config kubb.config.js',
    ),
    toPattern: (id) => new RegExp(`^export async function ${id}\\(`, 'm'),
  },
};

/** @param packages of the generator, with their versions. */
function toTypeScript(packages: readonly string[], ...generate: string[]): string[] {
  const all = [
    ...packages,
    `typescript@${versions.typescript}`,
    `tsx@${versions.tsx}`,
    `@types/node@${versions.nodeTypes}`,
  ];
  return [
    `echo '{ "type": "module" }' > package.json`,
    `npm install --silent --no-audit --no-fund --legacy-peer-deps ${all.join(' ')}`,
    ...generate,
    'npx tsc --noEmit --strict --skipLibCheck --target esnext --module esnext --moduleResolution bundler --allowImportingTsExtensions --types node *.ts',
  ];
}

function typescript(name: string): Pick<Client, 'language' | 'needs' | 'run' | 'files'> {
  const files = ['typescript/loop.ts', `typescript/${name}.ts`];
  return { language: 'TypeScript', needs: ['npm'], run: `node --import tsx ${name}.ts`, files };
}
