/** The clients that are judged, by the name that the command takes, in the order of the tables. */
import { type Client, toSnake } from './client.ts';
import { goClients } from './go.ts';
import { openapiGeneratorClients } from './openapi-generator.ts';
import { typescriptClients } from './typescript.ts';
import { issues, versions } from './versions.ts';

const pythonClients: Readonly<Record<string, Client>> = {
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
    issues: {
      'import CSV': `${issues.openapiPythonClient}/542`,
      'import NDJSON': `${issues.openapiPythonClient}/542`,
    },
    toPattern: (id) => new RegExp(`/${toSnake(id)}\\.py\\n`),
  },
};

export const clients: Readonly<Record<string, Client>> = {
  ...openapiGeneratorClients,
  ...pythonClients,
  ...goClients,
  ...typescriptClients,
};
