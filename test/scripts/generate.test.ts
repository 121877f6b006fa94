/** The generated files are up to date, and stale ones are detected. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findStaleFiles } from '../../scripts/find-stale-files.ts';
import { generatedFiles } from '../../scripts/generated-files.ts';
import { renderErrorReference } from '../../scripts/render-error-reference.ts';
import { errors } from '../../src/domain/error-registry.ts';

const root = join(import.meta.dirname, '../..');

describe('the generated files', () => {
  it('are up to date', async () => {
    const stale = await findStaleFiles(generatedFiles, (path) => readFile(join(root, path), 'utf8'));
    assert.deepEqual(
      stale.map(({ path }) => path),
      [],
      'run npm run generate',
    );
  });
});

describe('findStaleFiles()', () => {
  const files = [
    { path: 'a.md', render: () => 'a\n' },
    { path: 'b.md', render: () => Promise.resolve('b\n') },
  ];

  it('finds files that differ or are missing', async () => {
    const read = (path: string): Promise<string> => readFile(join(root, 'no-such-folder', path), 'utf8');
    assert.deepEqual(await findStaleFiles(files, read), [
      { path: 'a.md', text: 'a\n' },
      { path: 'b.md', text: 'b\n' },
    ]);
    assert.deepEqual(await findStaleFiles(files, () => Promise.resolve('a\n')), [{ path: 'b.md', text: 'b\n' }]);
  });

  it('does not treat an unreadable file as missing', async () => {
    await assert.rejects(
      findStaleFiles(files, () => Promise.reject(new Error('EACCES'))),
      /EACCES/,
    );
  });
});

describe('renderErrorReference()', () => {
  it('shows every entry of the registry once, below its status', () => {
    const text = renderErrorReference(errors);
    for (const [code, { number }] of Object.entries(errors)) {
      assert.equal(text.split(`| ${number} | \`${code}\` |`).length, 2, code);
    }
    assert.ok(text.indexOf('## 409 Conflict') < text.indexOf('| 40901 |'));
    assert.ok(text.indexOf('| 40901 |') < text.indexOf('## 413 Payload Too Large'));
  });

  it('escapes Markdown markup', () => {
    const text = renderErrorReference({ a: { number: 40001, message: 'm', meaning: 'a | b', remedy: '*/* and \\u' } });
    assert.ok(text.includes('| m | a \\| b | \\*/\\* and \\\\u |'), text);
  });
});
