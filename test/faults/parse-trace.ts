/** Reads the output of strace: calls in one order, with interrupted ones put together again. What the calls mean is not known here. */

export interface Call {
  readonly name: string;
  /** Everything after the opening parenthesis, the result included. */
  readonly args: string;
  /** Line numbers of the trace, which is written in the order of events. */
  readonly begin: number;
  readonly end: number;
  /** Undefined for a call that failed or never returned. */
  readonly result: number | undefined;
}

/** A call on one line has no event of another thread between its begin and its end. */
export function parseTrace(trace: string): Call[] {
  const calls: Call[] = [];
  const open = new Map<string, { name: string; args: string; begin: number }>();
  trace.split('\n').forEach((text, line) => {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/s.exec(text) ?? [];
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/s.exec(rest);
    if (resumed !== null) {
      const half = open.get(thread);
      open.delete(thread);
      const tail = resumed[2] ?? '';
      if (half !== undefined) calls.push({ ...half, args: half.args + tail, end: line, result: toResult(tail) });
      return;
    }
    const [, name, args = ''] = /^(\w+)\((.*)$/s.exec(rest) ?? [];
    if (name === undefined) return;
    const unfinished = / ?<unfinished \.\.\.>$/.exec(args);
    if (unfinished === null) calls.push({ name, args, begin: line, end: line, result: toResult(args) });
    else open.set(thread, { name, args: args.slice(0, unfinished.index), begin: line });
  });
  // A call that never returned may have had its effect.
  for (const half of open.values()) calls.push({ ...half, end: Infinity, result: undefined });
  return calls.sort((one, other) => one.begin - other.begin);
}

/** The texts of a call's arguments as bytes, in order. @throws Error when strace has shortened one. */
export function readTexts(args: string): Buffer[] {
  return [...args.matchAll(/"((?:[^"\\]|\\.)*)"(\.\.\.)?/g)].map(([, text = '', isShortened]) => {
    if (isShortened !== undefined) throw new Error('The trace holds a shortened text');
    return unescape(text);
  });
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, '\\': 92 };

function unescape(text: string): Buffer {
  const bytes = Buffer.alloc(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    let byte = text.charCodeAt(index);
    if (byte === 92) {
      const [digits] = /^[0-7]{1,3}/.exec(text.slice(index + 1, index + 4)) ?? [];
      byte = digits === undefined ? (escapes[text.charAt(index + 1)] ?? 63) : Number.parseInt(digits, 8);
      index += digits?.length ?? 1;
    }
    bytes[length] = byte;
    length += 1;
  }
  return bytes.subarray(0, length);
}

function toResult(text: string): number | undefined {
  const [, result] = /\) += (\d+)(?:<.*>)?(?: \(.*\))?$/.exec(text) ?? [];
  return result === undefined ? undefined : Number(result);
}
