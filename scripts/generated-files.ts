/** The generated files with their renderers, which write nothing themselves. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '../src/domain/error-registry.ts';
import type { GeneratedFile } from './find-stale-files.ts';
import { renderArazzo } from './render-arazzo.ts';
import { renderCli } from './render-cli.ts';
import { renderCollection } from './render-collection.ts';
import { renderConfiguration } from './render-configuration.ts';
import { renderDescription } from './render-description.ts';
import { renderErrorReference } from './render-error-reference.ts';
import { renderExamples } from './render-examples.ts';
import { renderParameters } from './render-parameters.ts';
import { renderSchemas } from './render-schemas.ts';

const read = (path: string): Promise<string> => readFile(join(import.meta.dirname, '..', path), 'utf8');
const readDescription = (): Promise<string> => read('openapi.yaml');

export const generatedFiles: readonly GeneratedFile[] = [
  {
    path: 'src/domain/schemas.ts',
    render: async () => {
      const description = await readDescription();
      return `${renderSchemas(description)}\n${renderParameters(description)}`;
    },
  },
  { path: 'openapi.json', render: async () => renderDescription(await readDescription()) },
  { path: 'sample/openapi.json', render: async () => renderDescription(await read('sample/openapi.yaml')) },
  {
    path: 'docs/reference/plant-store.postman_collection.json',
    render: async () => renderCollection(await readDescription()),
  },
  { path: 'docs/reference/plant-store.arazzo.yaml', render: async () => renderArazzo(await readDescription()) },
  { path: 'docs/reference/errors.md', render: () => renderErrorReference(errors) },
  { path: 'docs/reference/examples.md', render: async () => renderExamples(await readDescription()) },
  { path: 'docs/reference/configuration.md', render: renderConfiguration },
  { path: 'docs/reference/cli.md', render: renderCli },
];
