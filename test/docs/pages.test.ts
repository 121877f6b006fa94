/** The pages against the project: their links. pages.deep.test.ts runs their commands. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { readSteps, toPattern } from './read-steps.ts';

const root = join(import.meta.dirname, '..', '..');
const readPage = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

describe('the pages', () => {
  it('link to files and headings that are there', async () => {
    const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
    for (const entry of await readdir(join(root, 'docs'), { recursive: true })) {
      if (entry.endsWith('.md')) pages.push(join('docs', entry));
    }
    let links = 0;
    for (const page of pages) {
      const text = await readPage(page);
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
        links += 1;
        const [path = '', heading] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        assert.ok(existsSync(join(root, file)), `${page} links to ${target}`);
        if (heading !== undefined)
          assert.ok(
            toAnchors(await readPage(file)).has(heading),
            `${page} links to ${target}, which has no such heading`,
          );
      }
    }
    assert.ok(links > 10, 'the links were found');
  });
});

describe('docs/decisions.md', () => {
  it('numbers the decisions of each section, and has those that are cited', async () => {
    const page = await readPage('docs/decisions.md');
    const sections = [...page.matchAll(/\[[^\]]+\]\(#([\w-]+)\) \(([A-Z]{2})\)/g)];
    assert.ok(sections.length > 10, 'the sections were found');
    const ids = new Set<string>();
    for (const [, heading = '', prefix = ''] of sections) {
      const section = page.split(/^## /m).find((each) => toAnchors(`# ${each.split('\n')[0]}`).has(heading)) ?? '';
      const items = [...section.matchAll(/^- (?:\*\*([A-Z]+)(\d+)\*\* )?/gm)];
      const numbers = items.map(([, , number]) => Number(number));
      assert.ok(items.length > 0 && items.every(([, own]) => own === prefix), `${prefix} begins each item`);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((one, other) => one - other),
        prefix,
      );
      for (const number of numbers) ids.add(`${prefix}${number}`);
    }
    let citations = 0;
    for (const folder of ['src', 'console/src', 'test', 'docs'])
      for (const entry of await readdir(join(root, folder), { recursive: true })) {
        if (!/\.(?:tsx?|md)$/.test(entry)) continue;
        const isPage = entry === 'decisions.md';
        const pattern = isPage ? /(?<!\*)\b([A-Z]{2}\d+)\b/g : /\bdecisions? ([A-Z]{2}\d+)\b/g;
        for (const [, id = ''] of (await readPage(join(folder, entry))).matchAll(pattern)) {
          citations += 1;
          assert.ok(ids.has(id), `${folder}/${entry} cites ${id}, which is no decision`);
        }
      }
    assert.ok(citations > 20, 'the citations were found');
  });
});

describe('readSteps()', () => {
  const line = 1;
  for (const [what, text, wanted] of [
    ['a command', '```sh\nls\n```', [{ kind: 'run', line, commands: 'ls', exitCode: 0, shown: undefined }]],
    [
      'output and exit code',
      '```sh exit=3\nls\n```\n\n```text\nx\n```',
      [{ kind: 'run', line, commands: 'ls', exitCode: 3, shown: 'x' }],
    ],
    ['a stop', 'Press Ctrl-C to stop.', [{ kind: 'stop', line }]],
    ['nothing in a block of output alone', '```text\nx\n```', []],
  ] as const) {
    it(`finds ${what}`, () => {
      assert.deepEqual(readSteps(text), wanted);
    });
  }

  it('ignores a block of output that does not follow its command directly', () => {
    const [step] = readSteps('```sh\nls\n```\nThen:\n```text\nx\n```');
    assert.equal(step?.kind === 'run' ? step.shown : '', undefined);
  });
});

describe('toPattern()', () => {
  it('lets only … stand for other text', () => {
    assert.match('Created token 0Ak with a.b', toPattern('Created token … with a.b'));
    assert.doesNotMatch('Created token 0Ak with axb', toPattern('Created token … with a.b'));
    assert.doesNotMatch('x\nCreated', toPattern('Created'));
  });
});

describe('docs/clients.md', () => {
  it('has functions that keep a large id exact', async () => {
    const [, code = ''] = /```js\n([^]*?)\n\nconst plants/.exec(await readPage('docs/clients.md')) ?? [];
    const { parse, stringify } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      parse: (text: string) => unknown;
      stringify: (value: unknown) => string;
    };
    const text = '[{"id":9007199254740993,"name":"Fern"},{"id":"webhook"},{"id":-7}]';
    assert.deepEqual(parse(text), [{ id: 9007199254740993n, name: 'Fern' }, { id: 'webhook' }, { id: -7n }]);
    assert.equal(stringify(parse(text)), text);
  });
});

/** The headings of a page as the anchors that forges make of them. */
function toAnchors(page: string): ReadonlySet<string> {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}
