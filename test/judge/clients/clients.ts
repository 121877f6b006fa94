/** The clients that are judged: how each is generated, compiled and started, with the versions of all that is fetched. */

const versions = {
  openapiGenerator: '7.25.0',
  openapiPythonClient: '0.29.1',
  oapiCodegen: '2.8.2',
  oapiCodegenRuntime: '1.9.0',
  oapiCodegenNullable: '1.2.0',
  ogen: '1.24.0',
  goValidator: '2.0.1',
  typescript: '6.0.3',
  tsx: '4.23.15',
  nodeTypes: '26.6.6',
  openapiTypescript: '7.13.0',
  openapiFetch: '0.17.0',
  heyApi: '0.99.0',
  orval: '8.38.0',
  kubb: '4.39.3',
};

export interface Client {
  readonly language: string;
  readonly generator: string;
  readonly version: string;
  /** What is given to the generator, for the page. */
  readonly settings: string;
  /** Programs that the machine must have. */
  readonly needs: readonly string[];
  /** Lines for a shell, in a folder with `openapi.json` and the program; the code goes to `client/`. */
  readonly build: readonly string[];
  readonly run: string;
  /** Of the program, in drivers/. */
  readonly files: readonly string[];
  /** Finds the function of an operation in the path and the text of a file. */
  readonly toPattern: (operationId: string) => RegExp;
}

const jar = `openapi-generator-cli-${versions.openapiGenerator}.jar`;
/** The description without the requests that the service itself sends. */
const withoutWebhooks = `python3 -c 'import json; d = json.load(open("openapi.json")); d.pop("webhooks"); json.dump(d, open("calls.json", "w"))'`;

const openapiGenerator = { generator: 'openapi-generator', version: versions.openapiGenerator };

function toOpenapiGenerator(flags: string, input = 'openapi.json'): string[] {
  const artifact = `org.openapitools:openapi-generator-cli:${versions.openapiGenerator}`;
  return [
    `[ -e ${jar} ] || mvn --quiet dependency:copy -Dartifact=${artifact} -DoutputDirectory=.`,
    `rm -rf client && java -jar ${jar} generate -i ${input} -o client ${flags}`,
  ];
}

/** @param packages that the code needs, with their versions. */
function toGo(...packages: string[]): string[] {
  return [
    '[ -e go.mod ] || go mod init drive',
    ...packages.map((name) => `go get ${name}`),
    'go mod tidy',
    'go build -o drive .',
  ];
}

const go = {
  language: 'Go',
  run: './drive',
  toPattern: (id: string) =>
    new RegExp(`^func \\(\\w+ \\*\\w+\\) ${toPascal(id)}(WithBodyWithResponse|WithResponse)?\\(`, 'm'),
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

/** By the name that the command takes. */
export const clients: Readonly<Record<string, Client>> = {
  'python-openapi-generator': {
    ...openapiGenerator,
    language: 'Python',
    settings: '`-g python`, a description without `webhooks`',
    needs: ['java', 'mvn', 'python3'],
    build: [
      withoutWebhooks,
      ...toOpenapiGenerator('-g python', 'calls.json'),
      'python3 -m venv env',
      'env/bin/pip install --quiet ./client',
      'env/bin/python -m compileall -q client/openapi_client',
    ],
    run: 'env/bin/python openapi-generator.py',
    files: ['python/loop.py', 'python/openapi-generator.py'],
    toPattern: (id) => new RegExp(`def ${toSnake(id)}\\(`),
  },
  'python-openapi-python-client': {
    language: 'Python',
    generator: 'openapi-python-client',
    version: versions.openapiPythonClient,
    settings: 'nothing',
    needs: ['python3'],
    build: [
      'python3 -m venv env',
      `env/bin/pip install --quiet openapi-python-client==${versions.openapiPythonClient}`,
      'env/bin/openapi-python-client generate --meta none --path openapi.json --output-path client/plant_store_client --overwrite',
      'env/bin/python -m compileall -q client',
    ],
    run: 'env PYTHONPATH=client env/bin/python openapi-python-client.py',
    files: ['python/loop.py', 'python/openapi-python-client.py'],
    // A file for each operation.
    toPattern: (id) => new RegExp(`/${toSnake(id)}\\.py\\n`),
  },
  'go-openapi-generator': {
    ...go,
    ...openapiGenerator,
    settings: '`-g go --model-name-mappings NewPlant=PlantWithId,NewToken=TokenRequest,NewWebhook=WebhookRequest`',
    needs: ['java', 'mvn', 'go'],
    build: [
      ...toOpenapiGenerator(
        '-g go --additional-properties=withGoMod=false,packageName=made --model-name-mappings NewPlant=PlantWithId,NewToken=TokenRequest,NewWebhook=WebhookRequest',
      ),
      'rm -r client/test',
      ...toGo(`gopkg.in/validator.v2@v${versions.goValidator}`),
    ],
    files: ['go/loop.go', 'go/openapi-generator.go'],
  },
  'go-oapi-codegen': {
    ...go,
    generator: 'oapi-codegen',
    version: versions.oapiCodegen,
    settings: '`output-options: { skip-prune: true, nullable-type: true }`',
    needs: ['go'],
    build: [
      'mkdir -p client',
      `echo '{ package: made, generate: { models: true, client: true }, output: client/made.go, output-options: { skip-prune: true, nullable-type: true } }' > oapi-codegen.yaml`,
      `go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.oapiCodegen} --config oapi-codegen.yaml openapi.json`,
      ...toGo(
        `github.com/oapi-codegen/runtime@v${versions.oapiCodegenRuntime}`,
        `github.com/oapi-codegen/nullable@v${versions.oapiCodegenNullable}`,
      ),
    ],
    files: ['go/loop.go', 'go/oapi-codegen.go'],
  },
  'go-ogen': {
    ...go,
    generator: 'ogen',
    version: versions.ogen,
    settings: '`generator: { ignore_not_implemented: ["unsupported content types"] }`',
    needs: ['go'],
    build: [
      `echo 'generator: { ignore_not_implemented: ["unsupported content types"] }' > ogen.yaml`,
      `go run github.com/ogen-go/ogen/cmd/ogen@v${versions.ogen} --config ogen.yaml --target client --package made --clean openapi.json`,
      ...toGo(`github.com/ogen-go/ogen@v${versions.ogen}`),
    ],
    files: ['go/loop.go', 'go/ogen.go'],
  },
  'typescript-openapi-fetch': {
    ...typescript('openapi-fetch'),
    generator: 'openapi-fetch',
    version: `${versions.openapiFetch}, openapi-typescript ${versions.openapiTypescript}`,
    settings: 'with TypeScript 6: `npm install --legacy-peer-deps`',
    build: toTypeScript(
      [`openapi-fetch@${versions.openapiFetch}`, `openapi-typescript@${versions.openapiTypescript}`],
      'npx openapi-typescript openapi.json --output client/paths.d.ts',
    ),
    // It has no functions: a path with a method, of this operation.
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

function toSnake(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toPascal(id: string): string {
  return id.slice(0, 1).toUpperCase() + id.slice(1);
}
