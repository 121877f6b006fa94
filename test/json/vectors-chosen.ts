/**
 * Texts where parsers may choose, or ours is stricter than the grammar; each note gives the reason.
 * Includes bytes that are not UTF-8: many parsers accept them, against RFC 8259, section 8.1.
 */
import { toVectors, type Row } from './vector-notation.ts';

const { raw } = String;

const noRounding =
  'A number that is no int64 is still a number: ignored in an unknown member, refused as an id by the schema.';
const onePlant = 'Two readers could see two different plants.';
const noText = 'Half of a pair is no Unicode text and cannot be stored exactly.';
const boundedStack = 'The depth is bounded, so that the stack is.';
const firstError = 'Two errors; the first from the left counts.';

const numbers: readonly Row[] = [
  ['number: huge exponent', '[0.5e00777777777777777777777777777777777777]', noRounding],
  ['number: huge negative exponent', '[456.789e-999]', noRounding],
  ['number: huge exponent, negative integer', '[-2e+8888]', noRounding],
  ['number: huge exponent, fraction', '[2.5e+8888]', noRounding],
  ['number: exponent of ten digits', '[1e9999999999]', noRounding],
  ['number: beyond a double', '[456456e200000]', noRounding],
  ['number: beyond a double, negative', '[-456456e200000]', noRounding],
  ['number: below every double', '[456e-10000000]', noRounding],
  ['number: one above int64', '[9223372036854775808]', noRounding],
  ['number: one below int64', '[-9223372036854775809]', noRounding],
  ['number: far above int64', '[200000000000000000000]', noRounding],
  ['number: far below int64', '[-456456456456456456456456456456]', noRounding],
  ['number: 40,000 digits', `[${'7'.repeat(40_000)}]`, noRounding],
];

const duplicates: readonly Row[] = [
  ['object: name twice', '{"a":4,"a":5}', onePlant],
  ['object: name and value twice', '{"a":4,"a":4}', onePlant],
  ['object: empty name twice', '{"":4,"":5}', onePlant],
  ['object: name twice, once escaped', raw`{"name":4,"n\u0061me":5}`, onePlant],
  ['object: name twice, slash escaped', raw`{"a/b":4,"a\/b":5}`, onePlant],
  ['object: name of four bytes twice, once escaped', raw`{"<F0 9F 8C B1>":4,"\ud83c\udf31":5}`, onePlant],
  ['object: name twice in an inner object', '[{"a":{"b":4,"c":0,"b":null}}]', onePlant],
  ['object: name twice, null first', '{"a":null,"a":4}', onePlant],
  ['object: __proto__ twice', '{"__proto__":{},"__proto__":{}}', onePlant],
  ['object: constructor twice', '{"constructor":4,"constructor":5}', onePlant],
  ['object: index twice', '{"7":4,"7":5}', onePlant],
  ['object: name twice, then no colon', '{"a":4,"a"}', firstError],
];

const surrogates: readonly Row[] = [
  ['surrogate: first half only', raw`["\uD83C"]`, noText],
  ['surrogate: first half, lower case', raw`["\ud83c"]`, noText],
  ['surrogate: first half, then letters', raw`["\uD83Cabc"]`, noText],
  ['surrogate: first half, then another escape', raw`["\uD83C\n"]`, noText],
  ['surrogate: first half, then a letter by number', raw`["\uD83C\u0067"]`, noText],
  ['surrogate: first half twice', raw`["\uD83C\uD83C"]`, noText],
  ['surrogate: first half twice, then the second', raw`["\uD83C\uD83C\uDF31"]`, noText],
  ['surrogate: second half only', raw`["\uDF31"]`, noText],
  ['surrogate: second half, then letters', raw`["\uDFAAabc"]`, noText],
  ['surrogate: second half twice', raw`["\uDF31\uDF31"]`, noText],
  ['surrogate: halves the wrong way round', raw`["\uDF31\uD83C"]`, noText],
  ['surrogate: pair, then a second half', raw`["\uD83C\uDF31\uDF31"]`, noText],
  ['surrogate: first half, then a complete character', raw`["\uD83C<F0 9F 8C B1>"]`, noText],
  ['surrogate: second half in a name', raw`{"\uDF31":4}`, noText],
  ['surrogate: first half in a name', raw`{"tag\uD83C":4}`, noText],
  ['surrogate: in an unknown member, deep', raw`{"id":1,"x":[[{"y":"\uD83C"}]]}`, noText],
  ['surrogate: first half, then a quote that is escaped', raw`["\uD83C\"]`, firstError],
  ['surrogate: first half twice, then a wrong escape', raw`["\uD83C\uD83C\x"]`, firstError],
  ['surrogate: first half, then the end', raw`["\uD83C`, firstError],
];

const deep: readonly Row[] = [
  ['text: nested 33 deep in arrays', '['.repeat(33) + ']'.repeat(33), boundedStack],
  ['text: nested 33 deep in objects', '{"a":'.repeat(33) + '0' + '}'.repeat(33), boundedStack],
  ['text: nested 33 deep in both', '[{"a":'.repeat(16) + '[[]]' + '}]'.repeat(16), boundedStack],
  ['text: nested 400 deep', '['.repeat(400) + ']'.repeat(400), boundedStack],
  ['text: 60,000 opening brackets', '['.repeat(60_000), firstError],
  ['text: 10,000 times bracket, brace, name', '[{"":'.repeat(10_000), firstError],
];

const marks: readonly Row[] = [
  [
    'mark: byte order mark before an object',
    '<EF BB BF>{}',
    'RFC 8259, section 8.1: not to be added; one form of a text is enough.',
  ],
  ['mark: byte order mark and nothing', '<EF BB BF>'],
  ['mark: byte order mark after an object', '{}<EF BB BF>'],
  ['UTF-16: ASCII, little-endian, no mark', '[<00>"<00>a<00>"<00>]<00>', 'Every byte is UTF-8; NUL is not JSON.'],
  ['UTF-16: ASCII, big-endian, no mark', '<00>[<00>"<00>a<00>"<00>]'],
];

const notUtf8: readonly Row[] = [
  ['UTF-8: cut byte order mark', '<EF BB>{}'],
  ['UTF-8: lone byte outside a string', '<E9>'],
  ['UTF-8: lone byte in an array', '[<FF>]'],
  ['UTF-8: lone byte after a letter in an array', '[a<E5>]'],
  ['UTF-8: lone byte in a number', '[456<E5>]'],
  ['UTF-8: lone byte after an exponent', '[4e<E5>]'],
  ['UTF-8: lone byte in an exponent', '[4e5<E5>]'],
  ['UTF-8: lone byte after zero', '[0<E5>]<0A>'],
  ['UTF-8: lone byte in an escape', '["<5C>u<E5>"]'],
  ['UTF-8: lone byte after a backslash', '["<5C E5>"]'],
  ['UTF-8: continuation byte in a name', '{"<B9>":"0",}'],
  ['UTF-8: continuation byte', '["<81>"]'],
  ['UTF-8: Latin-1 letter', '["<E9>"]'],
  ['UTF-8: byte that never occurs', '["<FF>"]'],
  ['UTF-8: wrong second byte', '["<C3 28>"]'],
  ['UTF-8: cut sequence', '["<E0 FF>"]'],
  ['UTF-8: cut by the end of the text', '"<F0 9F 8C>'],
  ['UTF-8: too long for a slash, two bytes', '["<C0 AF>"]'],
  ['UTF-8: too long for NUL', '["<C0 80>"]'],
  ['UTF-8: too long for a slash, three bytes', '["<E0 80 AF>"]'],
  ['UTF-8: five bytes', '["<F8 88 80 80 80>"]'],
  ['UTF-8: too long, six bytes', '["<FC 83 BF BF BF BF>"]'],
  ['UTF-8: too long for NUL, six bytes', '["<FC 80 80 80 80 80>"]'],
  ['UTF-8: surrogate', '["<ED A0 80>"]'],
  ['UTF-8: pair of surrogates', '["<ED A0 BC ED BC B1>"]'],
  ['UTF-8: beyond U+10FFFF', '["<F4 BF BF BF>"]'],
  ['UTF-16: little-endian with a mark', '<FF FE>[<00>"<00 E9 00>"<00>]<00>'],
  ['UTF-16: big-endian with a mark', '<FE FF 00>[<00>"<00 E9 00>"<00>]'],
  ['UTF-16: little-endian, no mark', '[<00>"<00 E9 00>"<00>]<00>'],
  ['UTF-16: big-endian, no mark', '<00>[<00>"<00 E9 00>"<00>]'],
];

export const chosenVectors = [
  ...toVectors('accept', numbers),
  ...toVectors('duplicate-member', duplicates),
  ...toVectors('unpaired-surrogate', surrogates),
  ...toVectors('too-deep', deep),
  ...toVectors('malformed', marks),
  ...toVectors('not-utf8', notUtf8),
];
