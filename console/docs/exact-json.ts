/**
 * Makes JSON exact on a page whose other scripts hold numbers in doubles: an integer that a double would round is read as a bigint, and a bigint is
 * written in its digits. A browser that does not tell the source of a number (before Chrome 114, Firefox 135, Safari 18.4) keeps its own JSON.
 */

/** With what "JSON.parse source text access" of TC39 adds, and the compiler's library does not list yet. */
interface SourceJson {
  parse: (
    text: string,
    reviver?: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ) => unknown;
  rawJSON?: (text: string) => unknown;
}

const json = JSON as unknown as SourceJson;
const { parse, rawJSON } = json;

/** Whether a text may hold an integer that a double would round: none has fewer digits. */
const longDigits = /\d{16}/;

/** Replaces `JSON.parse` and `Response.json()`, and teaches `JSON.stringify` to write a bigint. */
export function installExactJson(): void {
  if (rawJSON === undefined) return;
  json.parse = (text, reviver) => (reviver === undefined ? parseExact(text) : parse(text, reviver));
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint): unknown {
      return rawJSON(this.toString());
    },
  });
  Object.defineProperty(Response.prototype, 'json', {
    configurable: true,
    async value(this: Response): Promise<unknown> {
      return parseExact(await this.text());
    },
  });
}

function parseExact(text: string): unknown {
  if (!longDigits.test(text)) return parse(text);
  return parse(text, (_key, value, context) => {
    const source = context?.source ?? '';
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}
