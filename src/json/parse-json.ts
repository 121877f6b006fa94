/** Parses JSON strictly (RFC 8259), in one pass: exact integers, no ambiguous texts. */
import { code, escapes, hexValue, isDigit, isPair, isSurrogate } from './characters.ts';
import { toInt64 } from './int64.ts';
import { JsonError, type JsonErrorReason } from './json-error.ts';

/**
 * A parsed value. An int64 in any spelling is a `bigint`. Any other number is a `number`, perhaps
 * rounded or infinite: use its type only, never store it.
 *
 * Objects inherit nothing: `__proto__` and `constructor` are ordinary members, undefined if not
 * sent.
 */
export type JsonValue = null | boolean | string | bigint | number | JsonValue[] | JsonObject;

export interface JsonObject {
  [member: string]: JsonValue;
}

/** Maximum nesting of arrays and objects; a flat object has depth 1. Bounds the recursion. */
export const depthMax = 32;
/** Maximum number of members of an object: beyond, it is slow (measured: 3.5 ms for 5,000). */
export const membersMax = 100;

/**
 * Parses a JSON text. Time and memory are proportional to its length.
 *
 * @throws JsonError at the first error from the left.
 */
export function parseJson(text: string): JsonValue {
  return new Reader(text).readText();
}

/**
 * Class of parsed objects, with an empty prototype. Unlike `Object.create(null)` it keeps V8's fast
 * layout for compiled validators, and assignment never meets a setter.
 */
class Members {
  static {
    Reflect.deleteProperty(Members.prototype, 'constructor');
    Object.setPrototypeOf(Members.prototype, null);
    Object.freeze(Members.prototype);
  }
}

/**
 * A single pass over one text. Each `read…` starts at an item's first character and ends after it.
 */
class Reader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readText(): JsonValue {
    const value = this.#readValue(0);
    if (this.#skipSpace() !== code.end) this.#refuse('the end of the text');
    return value;
  }

  /** @param depth number of open arrays and objects around the value. */
  #readValue(depth: number): JsonValue {
    const first = this.#skipSpace();
    if (first === code.quote) return this.#readString();
    if (first === code.objectOpen) return this.#readObject(depth + 1);
    if (first === code.arrayOpen) return this.#readArray(depth + 1);
    if (first === code.minus || isDigit(first)) return this.#readNumber();
    if (this.#skipWord('true')) return true;
    if (this.#skipWord('false')) return false;
    if (this.#skipWord('null')) return null;
    this.#refuse('a value');
  }

  #readObject(depth: number): JsonObject {
    this.#checkDepth(depth);
    this.#position++;
    const object = new Members() as JsonObject;
    if (this.#skipSpace() === code.objectClose) {
      this.#position++;
      return object;
    }
    for (let count = 1; ; count += 1) {
      if (this.#skipSpace() !== code.quote) this.#refuse('a member name in double quotes');
      if (count > membersMax) this.#refuse(`at most ${membersMax} members in an object`, 'too-many-members');
      const start = this.#position;
      const name = this.#readString();
      // Values are never undefined and nothing is inherited, so this detects duplicates exactly.
      if (object[name] !== undefined)
        this.#refuse('a name that its object does not have yet', 'duplicate-member', start);
      if (this.#skipSpace() !== code.colon) this.#refuse('":"');
      this.#position++;
      object[name] = this.#readValue(depth);
      const next = this.#skipSpace();
      if (next !== code.comma && next !== code.objectClose) this.#refuse('"," or "}"');
      this.#position++;
      if (next === code.objectClose) return object;
    }
  }

  #readArray(depth: number): JsonValue[] {
    this.#checkDepth(depth);
    this.#position++;
    const array: JsonValue[] = [];
    if (this.#skipSpace() === code.arrayClose) {
      this.#position++;
      return array;
    }
    for (;;) {
      array.push(this.#readValue(depth));
      const next = this.#skipSpace();
      if (next !== code.comma && next !== code.arrayClose) this.#refuse('"," or "]"');
      this.#position++;
      if (next === code.arrayClose) return array;
    }
  }

  #readNumber(): bigint | number {
    const start = this.#position;
    if (this.#peek() === code.minus) this.#position++;
    if (this.#peek() === code.zero) this.#position++;
    else this.#skipDigits();
    if (this.#peek() === code.point) {
      this.#position++;
      this.#skipDigits();
    }
    // Setting bit 5 turns "E" into "e".
    if ((this.#peek() | 0x20) === 0x65) {
      this.#position++;
      const sign = this.#peek();
      if (sign === code.plus || sign === code.minus) this.#position++;
      this.#skipDigits();
    }
    const text = this.#text.slice(start, this.#position);
    return toInt64(text) ?? Number(text);
  }

  /** Usually a string has no escapes and is a slice of the text. */
  #readString(): string {
    const text = this.#text;
    const start = this.#position + 1;
    for (let at = start; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === code.quote) {
        this.#position = at + 1;
        return text.slice(start, at);
      }
      if (unit < 0x20 || unit === code.backslash || unit >= code.highSurrogate) return this.#readMixedString(start, at);
    }
    this.#refuse('a closing double quote', 'malformed', text.length);
  }

  /** Reads a string with escapes or surrogates; characters from `start` to `at` are plain. */
  #readMixedString(start: number, at: number): string {
    const text = this.#text;
    let value = '';
    let plainStart = start;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (unit === code.quote) {
        this.#position = at + 1;
        return value + text.slice(plainStart, at);
      }
      if (unit === code.backslash) {
        value += text.slice(plainStart, at);
        this.#position = at;
        value += this.#readEscape();
        plainStart = at = this.#position;
      } else if (unit < 0x20) {
        this.#refuse('an escape for a control character', 'malformed', at);
      } else if (isSurrogate(unit)) {
        if (!isPair(unit, text.charCodeAt(at + 1))) this.#refuse('a surrogate pair', 'unpaired-surrogate', at);
        at += 2;
      } else {
        at++;
      }
    }
    this.#refuse('a closing double quote', 'malformed', text.length);
  }

  #readEscape(): string {
    const start = this.#position;
    const letter = this.#text.charAt(start + 1);
    this.#position += 2;
    if (letter !== 'u') {
      return escapes.get(letter) ?? this.#refuse('one of " \\ / b f n r t u', 'malformed', start + 1);
    }
    const unit = this.#readHex();
    if (!isSurrogate(unit)) return String.fromCharCode(unit);
    // An escaped half and a raw half are no pair: the text itself would not be Unicode.
    if (this.#text.startsWith('\\u', this.#position)) {
      this.#position += 2;
      const second = this.#readHex();
      if (isPair(unit, second)) return String.fromCharCode(unit, second);
    }
    this.#refuse('a surrogate pair', 'unpaired-surrogate', start);
  }

  /** Reads four hexadecimal digits. */
  #readHex(): number {
    let value = 0;
    for (const end = this.#position + 4; this.#position < end; this.#position++) {
      const digit = hexValue(this.#peek());
      if (digit === undefined) this.#refuse('four hexadecimal digits');
      value = value * 16 + digit;
    }
    return value;
  }

  /** @returns the character at the position, or `code.end`. */
  #peek(): number {
    return this.#position < this.#text.length ? this.#text.charCodeAt(this.#position) : code.end;
  }

  /** Skips white space and returns the next character. */
  #skipSpace(): number {
    let unit = this.#peek();
    while (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) {
      this.#position++;
      unit = this.#peek();
    }
    return unit;
  }

  #skipDigits(): void {
    if (!isDigit(this.#peek())) this.#refuse('a digit');
    const text = this.#text;
    let at = this.#position + 1;
    while (at < text.length && isDigit(text.charCodeAt(at))) at++;
    this.#position = at;
  }

  #skipWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.#position)) return false;
    this.#position += word.length;
    return true;
  }

  #checkDepth(depth: number): void {
    if (depth > depthMax) this.#refuse(`at most ${depthMax} levels of nesting`, 'too-deep');
  }

  #refuse(wanted: string, reason: JsonErrorReason = 'malformed', position = this.#position): never {
    throw new JsonError(reason, wanted, this.#text, position);
  }
}
