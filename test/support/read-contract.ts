/** The contract of this project, for tests: read from openapi.yaml once a process. */
import { readFileSync } from 'node:fs';
import { loadContract } from '../../src/contract/load-contract.ts';

/** The text of openapi.yaml. */
export const contractText = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');

export const contract = loadContract(contractText);
