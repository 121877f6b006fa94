/**
 * JSON texts and what becomes of them: one row for each kind of error and of freedom in public JSON
 * test suites.
 */
import type { JsonErrorReason } from '../../src/json/json-error.ts';

/** The expected result: accepted, or the reason of the JsonError. */
type Expected = 'accept' | JsonErrorReason;

/** A JSON text and its expected result. The text is any value, rarely a plant. */
interface JsonVector {
  readonly name: string;
  readonly text: string;
  readonly expected: Expected;
}

/** A kind, and its texts. `<C3 A9>` stands for these two bytes; the rest is printable ASCII. */
type Row = readonly [kind: string, ...texts: string[]];

const { raw } = String;

const accepted: readonly Row[] = [
  ['array', '[]', '[ [ ]   ]', '[""]', '[null, 4, "leaf", {}, [], true, 0.5]', '["soil"]<0A>', ' [8]'],
  ['white space', '<20 09 0A 0D>[<0D 0A 09 20>3<09>,<0A>4<0D>]<20>', '{<0A>"name":<0A>"fern"<0A>,"id":2<0A>}'],
  ['integer', '[481]', '[0]', '[-0]', '[-1]', '[9223372036854775807]', '[-9223372036854775808]'],
  ['fraction', '[48.125]', '[-0.0]', '[4.75e2]', '[4.75E-12]', '[-0.00000000000000000000000000000000000003]'],
  ['exponent', '[7e3]', '[7E3]', '[7e+3]', '[7E+3]', '[7e-3]', '[7E-3]', '[0e5]', '[0e+5]', '[2e0003]', '[5e67]'],
  // A number that is no int64: ignored in an unknown member, refused as an id by the schema.
  ['number beyond a double', '[0.5e00777777777777777777777777777777777777]', '[-456456e200000]', '[456e-10000000]'],
  ['integer beyond int64', '[9223372036854775808]', '[-9223372036854775809]', `[${'7'.repeat(40_000)}]`],
  ['object', '{}', '{"name":"fern"}', '{"name":"fern","tag":"shade"}', '{"":3}', raw`{"le\u0000af":3}`],
  ['inherited names', '{"__proto__":{"name":"x"},"constructor":1,"toString":2,"id":3}'],
  ['names that are array indexes', '{"1":"a","0":"b","4294967295":"c","-1":"d"}'],
  ['similar names', '{"a":{"name":1},"name":{"name":2}}', '{"name":1,"Name":2}', '{"<C3 A9>":1,"e<CC 81>":2}'],
  ['raw string', '["moss "]', '["<C3 A9 D0 96>"]', '["<E2 82 AC E6 A4 8D>"]', '["<F0 9F 8C B1 F0 90 90 B7>"]'],
  ['around the surrogates', '["<ED 9F BF>"]', '["<EE 80 80>"]', '["<EF BF BF>"]', '["<F4 8F BF BF>"]'],
  ['raw line separator, mark, delete', '["<E2 80 A8 E2 80 A9>"]', '["<EF BB BF>"]', '["a<7F>b"]'],
  ['escape', raw`["\"\\\/\b\f\n\r\t"]`, raw`["\\u0067"]`, raw`["\u0022\u005C"]`, raw`["\u0000\u0013"]`],
  ['hexadecimal digits', raw`["\u0067\u0123\u1234"]`, raw`["\uaBcD\uAbCd"]`, raw`["\uFFFF\uFDD0"]`],
  ['escaped pair', raw`["\uD83C\uDF31"]`, raw`["\ud83c\udf31\ud83c\udf3f"]`, raw`["\uDBFF\uDFFF"]`],
  ['what looks like a comment', '["a/*b*/c//d"]'],
  ['lonely value', 'false', 'true', 'null', '17', '-0.25', '"bog"', '""'],
  ['nested 32 deep', '['.repeat(32) + ']'.repeat(32), '{"a":'.repeat(32) + '0' + '}'.repeat(32)],
];

const malformed: readonly Row[] = [
  ['array without a comma', '[4 true]', '[5[6]]', '[2:3]', '[2;3]', '["": 2]'],
  ['array with a comma too many', '[,2]', '[2,,3]', '[2,]', '["a",,]', '[,]', '["a"],'],
  ['array not closed', '[', '["a"', '[2,', '[{}', '[a', '[false, nul', '[,', '[2}', '[2}3]', '[{', "['"],
  ['closed twice', '["a"]]', '{"a":4}}', ']', '}', '4]'],
  ['word', '[fals]', '[nul]', '[tru]', '[trues]', '[True]', 'leaf', '[undefined]', '<C3 A9>', '*'],
  ['no number', '[NaN]', '[-NaN]', '[+Inf]', '[-Infinity]', '[-]', '-', '[- 1]', '[--1]', '[+1]', '[-leaf]'],
  ['leading zero', '[034]', '[-034]', '[-01]', '[00.5]', '[00e1]', '[-00e1]'],
  ['point', '[.456]', '[-.456]', '[.4e-5]', '[4.]', '[-4.]', '[4.e5]', '[4.e+5]', '[0.e1]', '[0.4.5]', '[.-4]'],
  ['exponent', '[4.0e]', '[4.0e+]', '[0e-]', '[0E]', '[0E+]', '[0e+-4]', '[4eE5]', '[4e5.5]', '[4ea]'],
  ['after a number', '[4z]', '[-4.5leaf]', '[4n]', '[4_000]', '[4 000.0]', '[4+5]', '[0x4F]', '[0o17]', '4@'],
  ['other digits', '[<EF BC 94>]', '[<D9 A4>]', '456<00>'],
  ['object without a name', '{[: "a"}', '{:4}', '{4:5}', '{null:null}', '{a: 4}', "{'a':0}", '{,}', '{', '{['],
  ['object without a colon', '{"a", 4}', '{"a"::4}', '{"a" 4}', '{"a"', '{"a";4}', '{"a"}', '{ "a" : 4, "b" }'],
  ['object without a value', '{"a":}', '{"a":', '{"a": leaf}'],
  ['object with a comma too many', '{"a":4,}', '{"a":4,,"b":5}', '{"a":"b" 456}'],
  ['object not closed', '{"a":4', '{"a":"b', '{"a":4]', '{"a":true,', '{]', '{"a', '["<5C>{["<5C>{'],
  ['comment', '{"a":4}/**/', '{"a":4}//', '{"a":4}/', '{"a":/*c*/4}', '{"a":4}#'],
  ['string without quotes', '[<C3 A9>]', raw`[\n]`, raw`[\u0020"moss"]`, "['moss']", '[`moss`]', '[<null>]'],
  ['string not closed', '"', '["moss]', raw`["moss\n`, '["<5C>', raw`["\"]`, raw`["\\\"]`],
  ['escape of another character', raw`["\a"]`, raw`["\x4F"]`, raw`["\'"]`, raw`["\045"]`, raw`["\U0067"]`],
  ['escape of another byte', '["<5C 00>"]', '["<5C 09>"]', '["<5C 0A>"]', '["<5C F0 9F 8C B1>"]'],
  ['escape of few digits', raw`["\u"]`, raw`["\u4"]`, raw`["\u00A"]`, raw`["\u00`],
  ['escape of other digits', raw`["\u00G0"]`, raw`["\u+067"]`, raw`["\u 067"]`, raw`["\u{67}"]`],
  ['raw control character', '["a<09>b"]', '["a<0A>b"]', '["a<00>b"]', '["a<1F>b"]', '{"a<0A>b":4}', '["<5C>n<01>"]'],
  ['second half that is cut', raw`["\uD83C\u"]`, raw`["\uD83C\u4"]`, raw`["\uD83C\u4z"]`, raw`["\uD83C\uDf"]`],
  ['nothing', '', ' '],
  ['other white space', '[<0C>]', '[<0B>]', '[<C2 A0>]', '[<E2 80 A8>]', '[<E2 81 A0>]', '[<00>]', '[]<00>'],
  ['two values', '4 5', '[][]', '[4]a', '"moss"a'],
  // RFC 8259, section 8.1: a mark is not to be added, and one form of a text is enough.
  ['byte order mark', '<EF BB BF>{}', '<EF BB BF>', '{}<EF BB BF>'],
  ['UTF-16 of ASCII', '[<00>"<00>a<00>"<00>]<00>', '<00>[<00>"<00>a<00>"<00>]'],
];

/** Two readers could see two different plants. */
const duplicates: readonly Row[] = [
  ['name twice', '{"a":4,"a":5}', '{"a":4,"a":4}', '{"":4,"":5}', '{"a":null,"a":4}', '{"7":4,"7":5}'],
  ['name twice in an inner object', '[{"a":{"b":4,"c":0,"b":null}}]'],
  ['name twice, once escaped', raw`{"name":4,"n\u0061me":5}`, raw`{"<F0 9F 8C B1>":4,"\ud83c\udf31":5}`],
  ['inherited name twice', '{"__proto__":{},"__proto__":{}}', '{"constructor":4,"constructor":5}'],
  ['name twice, then another error', '{"a":4,"a"}'],
];

/** Half of a pair is no Unicode text and cannot be stored exactly. */
const surrogates: readonly Row[] = [
  ['first half', raw`["\uD83C"]`, raw`["\ud83cabc"]`, raw`["\uD83C\n"]`, raw`["\uD83C\u0067"]`, raw`["\uD83C\uD83C"]`],
  ['second half', raw`["\uDF31"]`, raw`["\uDFAAabc"]`, raw`["\uDF31\uD83C"]`, raw`["\uD83C\uDF31\uDF31"]`],
  ['half in a name', raw`{"\uDF31":4}`, raw`{"tag\uD83C":4}`],
  ['half of an escape, half raw', raw`["\uD83C<F0 9F 8C B1>"]`],
  ['half in an unknown member', raw`{"id":1,"x":[[{"y":"\uD83C"}]]}`],
  ['half, then another error', raw`["\uD83C\"]`, raw`["\uD83C\uD83C\x"]`, raw`["\uD83C`],
];

/** The depth is bounded, so that the stack is. */
const deep: readonly Row[] = [
  ['nested 33 deep', '['.repeat(33) + ']'.repeat(33), '{"a":'.repeat(33) + '0' + '}'.repeat(33)],
  ['nested 33 deep in both', '[{"a":'.repeat(16) + '[[]]' + '}]'.repeat(16)],
  ['deep, and not closed', '['.repeat(60_000), '[{"":'.repeat(10_000)],
];

export const vectors: readonly JsonVector[] = [
  ...toVectors('accept', accepted),
  ...toVectors('malformed', malformed),
  ...toVectors('duplicate-member', duplicates),
  ...toVectors('unpaired-surrogate', surrogates),
  ...toVectors('too-deep', deep),
];

function toVectors(expected: Expected, rows: readonly Row[]): JsonVector[] {
  return rows.flatMap(([kind, ...texts]) =>
    texts.map((text) => ({ name: `${kind}: ${text.slice(0, 40)}`, text: toText(text), expected })),
  );
}

function toText(text: string): string {
  const binary = text.replace(/<([0-9A-F]{2}(?: [0-9A-F]{2})*)>/g, (_, bytes: string) =>
    Buffer.from(bytes.replaceAll(' ', ''), 'hex').toString('latin1'),
  );
  return Buffer.from(binary, 'latin1').toString();
}
