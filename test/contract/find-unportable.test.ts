/** The description means the same to tools of other languages; openapi.json is compared with it in generate.test.ts. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { contractText, sampleText } from '../support/read-contract.ts';
import { findUnportable } from './find-unportable.ts';

describe('the description, in other languages', () => {
  for (const [name, text] of Object.entries({ 'openapi.yaml': contractText, 'sample/openapi.yaml': sampleText }))
    it(`is without problems in ${name}`, () => assert.deepEqual(findUnportable(text), []));
});

describe('findUnportable()', () => {
  /** What is misread, a text of openapi.yaml, its replacement, and what is found. */
  const changes: [string, string, string, string][] = [
    ['a tab', 'title: Plant Store', 'title: Plant\tStore', 'an odd character'],
    ['a date', 'version: 1.0.0', 'version: 2026-11-21', '#/info/version: another value'],
    ['a word that was a boolean', 'name: MIT', 'name: off', '#/info/license/name: another value'],
    ['an octal number', 'maximum: 60,', 'maximum: 0o74,', 'wait/schema/maximum: another value'],
    ['a question mark', `page: { value: '<?limit=2`, 'page: { value: <?limit=2', 'quote the text <?limit=2'],
    ['a lone equals sign', 'example: -13', 'example: =', 'quote the text ='],
    [
      'a list of types',
      '      type: string\n      format: uri\n',
      '      type: [string, object]\n      format: uri\n',
      'WebhookUrl: a list of types',
    ],
    [
      'values without a type',
      '{ type: string, const: live }',
      '{ const: live }',
      'status: values of another type than string',
    ],
    [
      'a validator beside a reference',
      "$ref: '#/components/schemas/Author'",
      "$ref: '#/components/schemas/Author'\n          minProperties: 2",
      'by: description,$ref,minProperties beside $ref',
    ],
    [
      'a reference beside others',
      'links:\n    getPlant:\n',
      "links:\n    getPlant:\n      $ref: '#/x'\n",
      '#/components/links/getPlant',
    ],
    ['a keyword', '      minProperties: 1\n', '      patternProperties: {}\n', 'generators ignore patternProperties'],
    [
      'values of one schema',
      'additionalProperties: true }\n        servers',
      'additionalProperties: { type: string } }\n        servers',
      'Description/info: a schema of additional',
    ],
    ['a value that is not mapped', "          clearTag: '#/components/schemas/PlainBatch'\n", '', 'Batch: the mapping'],
    [
      'names that become equal',
      '    message-id:\n',
      '    webhook-id:\n',
      'parameters: one type for webhookId,webhook-id',
    ],
    ['a tag of paths and webhooks', 'tags: [Events]', 'tags: [Webhooks]', 'webhooks: the paths have the tag Webhooks'],
    [
      'a default that a client sends',
      'schema: { type: boolean }',
      'schema: { type: boolean, default: false }',
      'untagged/schema: a default of a boolean',
    ],
    [
      'a union of equal types',
      "- { $ref: '#/components/schemas/PlantFilter' }",
      "- { $ref: '#/components/schemas/WebhookEvents' }",
      'PlantSelection: a discriminator is missing',
    ],
  ];
  let found: string[] = [];
  before(() => {
    let changed = contractText;
    for (const [name, text, other] of changes) {
      assert.ok(changed.includes(text), `${name}: the description has no ${text}`);
      changed = changed.replace(text, other);
    }
    found = findUnportable(changed);
  });

  for (const [name, , , wanted] of changes)
    it(`finds ${name}`, () =>
      assert.ok(
        found.some((each) => each.includes(wanted)),
        found.join('\n'),
      ));

  it('finds no more than that', () => assert.equal(found.length, changes.length, found.join('\n')));

  for (const pattern of [
    '^\\P{Cc}+$',
    '\\s',
    '\\d',
    '\\w',
    '\\b',
    '(?=a)',
    '(?<a>b)',
    '(a)\\1',
    '\\u00a0',
    '\\-',
    '[\\x00-\\x80]',
    '\\xff',
    'é',
  ])
    it(`finds the pattern ${pattern}`, () => {
      const yaml = JSON.stringify({ components: { schemas: { A: { type: 'string', pattern } } } });
      assert.deepEqual(findUnportable(yaml), ['#/components/schemas/A: a pattern of one language']);
    });
});
