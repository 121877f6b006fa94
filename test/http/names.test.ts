/** Names and tags over HTTP: every text is stored and returned exactly, or refused. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { assertError, assertPlant } from '../support/assert-reply.ts';
import { nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { postPlant, request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

const texts: readonly (readonly [about: string, text: string])[] = [
  ['the empty text', ''],
  ['1000 code points', 'x'.repeat(1000)],
  ['1000 code points of two bytes', 'é'.repeat(1000)],
  ['1000 code points beyond U+FFFF', '🌱'.repeat(1000)],
  ['SQL', `Robert'); DROP TABLE plants;--`],
  ['a SQL comment and a parameter', `?1 -- /* :name */ \\ "`],
  ['HTML', '<script>alert(1)</script>&amp;<img src=x onerror=alert(1)>'],
  ['a template', '${7*7} {{7*7}} <%= 7*7 %> #{7*7}'],
  ['a path', '../../../../etc/passwd'],
  ['a Windows path', 'C:\\Windows\\System32\\..\\con'],
  ['a format', '%s %n %x %00 %0d%0a'],
  ['a spreadsheet formula', `=cmd|' /C calc'!A0`],
  ['a log line', '\n{"level":"fatal","msg":"forged"}'],
  ['words that mean something elsewhere', 'null undefined true NaN [object Object] __proto__'],
  ['é composed (NFC)', '\u00e9'],
  ['é decomposed (NFD)', 'e\u0301'],
  ['U+2028 and U+2029', 'a\u2028b\u2029c'],
  ['a right-to-left override', 'abc\u202edef\u202c'],
  ['Zalgo', `p${'\u0300\u0316\u0357'.repeat(100)}lant`],
  ['emoji joined by ZWJ', '👩\u200d🌾👨\u200d👩\u200d👧\u200d👦'],
  ['flags and skin tones', '🇩🇪👍🏽'],
  ['control characters', '\u0001\u0008\t\n\u000b\u000c\r\u001b[31m\u001f\u007f\u0080\u009f'],
  ['white space at both ends', ' \u00a0\u3000plant\ufeff '],
  ['a byte order mark', '\ufeffplant'],
  ['the replacement character itself', 'a\ufffdb'],
  ['noncharacters', '\ufdd0\ufffe\uffff\u{1fffe}\u{10ffff}'],
  ['private use', '\ue000\uf8ff\u{100000}'],
  ['quotes and backslashes', `"\\"'\\\\/`],
  ['letters whose case or width folds', 'ßẞ İiIı Ａ ﬁ Å Å'],
  ['Hangul as jamo', '\u1112\u1161\u11ab'],
];

describe('name and tag', () => {
  const sent = new Map<bigint, NewPlant>();

  for (const [about, text] of texts) {
    it(`preserve ${about}`, async () => {
      const plant = { id: nextId(), name: text, tag: text };
      assertPlant(await postPlant(service, plant), plant);
      sent.set(plant.id, plant);
    });
  }

  it('are the same text if every character is escaped', async () => {
    for (const [about, text] of texts) {
      const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
      const escaped = units.map((unit) => `\\u${unit}`).join('');
      const id = [...sent.values()].find(({ name }) => name === text)?.id ?? 0n;
      const reply = await request(service, { body: `{"id":${id},"name":"${escaped}","tag":"${escaped}"}` });
      assertPlant(reply, { name: text, tag: text });
      assert.equal(reply.headers['idempotent-replayed'], 'true', about);
    }
  });

  it('are different if only their normal forms are equal', async () => {
    const composed = [...sent.values()].find(({ name }) => name === '\u00e9');
    const reply = await postPlant(service, { id: composed?.id ?? 0n, name: 'e\u0301', tag: 'e\u0301' });
    assertError(reply, 'plant_id_taken');
  });

  it('are refused with 1001 code points, whatever their size in bytes', async () => {
    for (const character of ['x', 'é', '🌱']) {
      const long = character.repeat(1001);
      assertError(await postPlant(service, { id: nextId(), name: long }), 'plant_invalid', `name of ${character}`);
      assertError(
        await postPlant(service, { id: nextId(), name: '', tag: long }),
        'plant_invalid',
        `tag of ${character}`,
      );
    }
  });

  it('are refused with U+0000 at any position', async () => {
    for (const text of ['\0', 'a\0', '\0a', 'a\0b', `${'x'.repeat(999)}\0`]) {
      assertError(await postPlant(service, { id: nextId(), name: text }), 'text_nul');
      assertError(await postPlant(service, { id: nextId(), name: 'a', tag: text }), 'text_nul');
    }
  });

  it('are refused with an unpaired surrogate, escaped or raw', async () => {
    for (const half of [String.raw`\ud83c`, String.raw`\udf31`, String.raw`a\udf31\ud83c`]) {
      const reply = await request(service, { body: `{"id":${nextId()},"name":"${half}"}` });
      assertError(reply, 'json_surrogate_unpaired');
    }
    const bytes = Buffer.from(`{"id":${nextId()},"name":"x"}`);
    const asUtf8 = Buffer.concat([bytes.subarray(0, -3), Buffer.from('eda0bc', 'hex'), bytes.subarray(-2)]);
    assertError(await request(service, { body: asUtf8 }), 'body_not_utf8');
  });

  it('are in the file as sent after the service has stopped, and nothing else is', async () => {
    await service.stop();
    assert.deepEqual(readPlants(service.dataDir), sent);
  });
});
