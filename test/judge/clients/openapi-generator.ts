/** The clients of openapi-generator, but those of Go. */
import { type Client, toSnake } from './client.ts';
import { issues, versions } from './versions.ts';

const jar = `openapi-generator-cli-${versions.openapiGenerator}.jar`;
/** The description without the requests that the service itself sends. */
const withoutWebhooks = `python3 -c 'import json; d = json.load(open("openapi.json")); d.pop("webhooks"); json.dump(d, open("calls.json", "w"))'`;

export const openapiGenerator = { generator: 'openapi-generator', version: versions.openapiGenerator };

export function toOpenapiGenerator(flags: string, input = 'openapi.json'): string[] {
  const artifact = `org.openapitools:openapi-generator-cli:${versions.openapiGenerator}`;
  return [
    `[ -e ${jar} ] || mvn --quiet dependency:copy -Dartifact=${artifact} -DoutputDirectory=.`,
    `rm -rf client && java -jar ${jar} generate -i ${input} -o client ${flags}`,
  ];
}

export const openapiGeneratorClients: Readonly<Record<string, Client>> = {
  'java-openapi-generator': {
    ...openapiGenerator,
    language: 'Java',
    settings: '`-g java`',
    needs: ['java', 'javac', 'mvn'],
    build: [
      ...toOpenapiGenerator('-g java'),
      'mvn --quiet --batch-mode -f client/pom.xml compile dependency:copy-dependencies -DoutputDirectory=target/lib',
      "javac -encoding UTF-8 -cp 'client/target/classes:client/target/lib/*' Drive.java",
    ],
    run: "java -Dfile.encoding=UTF-8 -cp '.:client/target/classes:client/target/lib/*' Drive",
    files: ['java/Drive.java'],
    issues: {
      patch: `${issues.openapiGenerator}/21504`,
      'import CSV': `${issues.openapiGenerator}/2668`,
    },
    toPattern: (id) => new RegExp(`public \\S+ ${id}\\(`),
  },
  'kotlin-openapi-generator': {
    ...openapiGenerator,
    language: 'Kotlin',
    settings: '`-g kotlin`',
    needs: ['java', 'mvn'],
    build: [
      ...toOpenapiGenerator('-g kotlin'),
      'mkdir -p program && mv Drive.kt program/',
      `mvn --quiet --batch-mode -f kotlin.xml compile dependency:copy-dependencies -DoutputDirectory=target/lib -Dkotlin.version=${versions.kotlin} -Dmoshi.version=${versions.moshi} -Dokhttp.version=${versions.okhttp}`,
    ],
    run: "java -Dfile.encoding=UTF-8 -cp 'target/classes:target/lib/*' DriveKt",
    files: ['kotlin/kotlin.xml', 'kotlin/Drive.kt'],
    issues: {
      'batch of ids': `${issues.openapiGenerator}/22013`,
      'batch of a filter': `${issues.openapiGenerator}/22013`,
      'import CSV': `${issues.openapiGenerator}/2668`,
    },
    toPattern: (id) => new RegExp(`fun ${id}\\(`),
  },
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
  'ruby-openapi-generator': {
    ...openapiGenerator,
    language: 'Ruby',
    settings: '`-g ruby`',
    needs: ['java', 'mvn', 'ruby'],
    // Needs the Debian package ruby-typhoeus.
    build: [...toOpenapiGenerator('-g ruby'), `ruby -Iclient/lib -e 'require "openapi_client"'`],
    run: 'ruby -Iclient/lib openapi-generator.rb',
    files: ['ruby/openapi-generator.rb'],
    issues: {
      'import CSV': `${issues.openapiGenerator}/2668`,
    },
    toPattern: (id) => new RegExp(`def ${toSnake(id)}\\(`),
  },
  'php-openapi-generator': {
    ...openapiGenerator,
    language: 'PHP',
    settings: '`-g php`',
    needs: ['java', 'mvn', 'php'],
    // Needs the Debian packages php-guzzlehttp-guzzle, php-curl, php-mbstring.
    build: [...toOpenapiGenerator('-g php'), 'find client/lib -name "*.php" -print0 | xargs -0 -n 1 php -l'],
    run: 'php openapi-generator.php',
    files: ['php/openapi-generator.php'],
    toPattern: (id) => new RegExp(`public function ${id}\\(`),
  },
  'rust-openapi-generator': {
    ...openapiGenerator,
    language: 'Rust',
    settings: '`-g rust`',
    needs: ['java', 'mvn', 'cargo'],
    build: [
      ...toOpenapiGenerator('-g rust'),
      '[ -e Cargo.toml ] || cargo init --quiet --vcs none --name drive',
      'mv openapi-generator.rs src/main.rs',
      'mv plants.rs src/',
      'cargo add --quiet --path client --no-default-features',
      `cargo add --quiet reqwest@=${versions.reqwest} --no-default-features`,
      `cargo add --quiet serde_json@=${versions.serdeJson}`,
      `cargo add --quiet tokio@=${versions.tokio} --features macros,rt`,
      'cargo build --quiet',
    ],
    run: 'target/debug/drive',
    files: ['rust/plants.rs', 'rust/openapi-generator.rs'],
    issues: {
      'batch of ids': `${issues.openapiGenerator}/22018`,
      'batch of a filter': `${issues.openapiGenerator}/22018`,
      error: `${issues.openapiGenerator}/10977`,
    },
    toPattern: (id) => new RegExp(`pub async fn ${toSnake(id)}\\(`),
  },
};
