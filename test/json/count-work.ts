/** Counts the work of a call instead of timing it, to test its growth on any machine. */

export interface Work {
  /** Characters read one by one. */
  looks: number;
  /** Characters copied, searched or converted by built-in functions. */
  characters: number;
}

/** Runs a synchronous `call` and counts its use of strings and BigInt. */
export function countWork(call: () => unknown): Work {
  const work: Work = { looks: 0, characters: 0 };
  // Called with `call` and restored below; nothing else runs in between.
  /* eslint-disable @typescript-eslint/unbound-method */
  const { charCodeAt, indexOf, slice, repeat } = String.prototype;
  const { exec } = RegExp.prototype;
  /* eslint-enable @typescript-eslint/unbound-method */
  const { BigInt: bigInt, Number: number } = globalThis;
  const copied = (text: string): string => {
    work.characters += text.length;
    return text;
  };
  String.prototype.charCodeAt = function (at) {
    work.looks++;
    return charCodeAt.call(this, at);
  };
  String.prototype.indexOf = function (sought, from = 0) {
    const at = indexOf.call(this, sought, from);
    work.characters += (at === -1 ? this.length : at + 1) - from;
    return at;
  };
  String.prototype.slice = function (start, end) {
    return copied(slice.call(this, start, end));
  };
  String.prototype.repeat = function (count) {
    return copied(repeat.call(this, count));
  };
  RegExp.prototype.exec = function (text) {
    copied(text);
    return exec.call(this, text);
  };
  globalThis.BigInt = new Proxy(bigInt, {
    apply: (target, _, [value]: [string | number]) => target(typeof value === 'string' ? copied(value) : value),
  });
  globalThis.Number = new Proxy(number, { apply: (target, _, [text]: [string]) => target(copied(text)) });
  try {
    call();
  } finally {
    Object.assign(String.prototype, { charCodeAt, indexOf, slice, repeat });
    RegExp.prototype.exec = exec;
    Object.assign(globalThis, { BigInt: bigInt, Number: number });
  }
  return work;
}
