/** The clients of Go. */
import { type Client, toPascal } from './client.ts';
import { openapiGenerator, toOpenapiGenerator } from './openapi-generator.ts';
import { issues, versions } from './versions.ts';

const go = {
  language: 'Go',
  run: './drive',
  toPattern: (id: string) =>
    new RegExp(`^func \\(\\w+ \\*\\w+\\) ${toPascal(id)}(WithBodyWithResponse|WithResponse)?\\(`, 'm'),
};

export const goClients: Readonly<Record<string, Client>> = {
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
    issues: {
      'import CSV': `${issues.openapiGenerator}/2668`,
    },
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
};

/** @param packages that the code needs, with their versions. */
function toGo(...packages: string[]): string[] {
  return [
    '[ -e go.mod ] || go mod init drive',
    ...packages.map((name) => `go get ${name}`),
    'go mod tidy',
    'go build -o drive .',
  ];
}
