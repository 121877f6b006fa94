/** Checks a request to a subscriber against the `webhooks` of the description. */
import { membersOf, resolve } from '../../src/contract/description.ts';
import { SchemaCompiler } from '../../src/contract/schema-compiler.ts';
import { toInt64 } from '../../src/json/int64.ts';
import { type JsonValue, parseJson } from '../../src/json/parse-json.ts';
import { unescaped } from '../support/check-answer.ts';
import { contract } from '../support/read-contract.ts';

const { document } = contract;
const compiler = new SchemaCompiler(document);

/** Returns one line per violation. A body without a type is that of plant.created. */
export function checkRequest(headers: Readonly<Record<string, unknown>>, body: string): string[] {
  const value = parseJson(body);
  const type = membersOf(value)['type'];
  const name = typeof type === 'string' ? type : '/plant/webhook';
  const operation = membersOf(membersOf(membersOf(document['webhooks'])[name])['post']);
  const content = membersOf(resolve(document, operation['requestBody'])['content']);
  const [media = '', ...others] = Object.keys(content);
  if (unescaped.test(body)) return [`${name} has characters that must be escaped`];
  const violations = others.length > 0 || headers['content-type'] !== media ? [`${name} must be ${media}`] : [];
  const error = compiler.compile(membersOf(content[media])['schema'] ?? {})(value);
  if (error !== undefined) violations.push(`${name} breaks "${error.keyword}" at /${error.path.join('/')}`);
  for (const each of operation['parameters'] as readonly JsonValue[]) {
    const parameter = resolve(document, each);
    const field = parameter['name'] as string;
    const text = String(headers[field]);
    const schema = membersOf(parameter['schema']);
    const fault = compiler.compile(schema)(schema['type'] === 'integer' ? (toInt64(text) ?? text) : text);
    if (fault !== undefined) violations.push(`${field} is ${text}`);
  }
  return violations;
}
