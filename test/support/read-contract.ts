/** The contract of this project, read once per process, and contracts from texts of tests. */
import { readFileSync } from 'node:fs';
import { renderDescription } from '../../scripts/render-description.ts';
import { type Contract, loadContract } from '../../src/contract/load-contract.ts';

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** The text of openapi.yaml. */
export const contractText = read('openapi.yaml');

export const contract = loadContract({ yaml: contractText, json: read('openapi.json') });

/** The text of sample/openapi.yaml. */
export const sampleText = read('sample/openapi.yaml');

export const sample = loadContract({ yaml: sampleText, json: read('sample/openapi.json') });

/** Loads the contract of another description. */
export function toContract(yaml: string): Contract {
  return loadContract({ yaml, json: renderDescription(yaml) });
}
