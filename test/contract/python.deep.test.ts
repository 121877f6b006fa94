/** Python's parser of YAML, which reads version 1.1 as those of Java do, reads openapi.yaml as it is meant, and its patterns compile. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { parseDescription } from '../../src/contract/description.ts';
import { contract, contractText } from '../support/read-contract.ts';
import { skipLoudly } from '../support/skip-loudly.ts';

/** The Python of Debian, for which the package python3-yaml is. */
const python = '/usr/bin/python3';
const parserMissing = 3;
const script = `
import json, re, sys
text = sys.stdin.buffer.read().decode('utf-8')
try:
    import yaml
except ImportError:
    sys.exit(${parserMissing})
def compile_patterns(node):
    if isinstance(node, dict):
        if isinstance(node.get('pattern'), str):
            re.compile(node['pattern'])
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            compile_patterns(each)
document = yaml.safe_load(text)
compile_patterns(document)
json.dump(document, sys.stdout, default=repr)
`;

it('Python reads openapi.yaml as the service reads openapi.json', (t) => {
  const { error, status, stdout, stderr } = spawnSync(python, ['-c', script], {
    input: contractText,
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
    timeout: 60_000,
  });
  const isMissing = status === parserMissing || (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  if (isMissing) return skipLoudly(t, 'the package python3-yaml is not installed');
  assert.deepEqual([error, status], [undefined, 0], stderr);
  assert.deepEqual(parseDescription(stdout), contract.document);
});
