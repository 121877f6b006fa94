/**
 * Letters of scripts that put no spaces between words: Chinese, Japanese, Thai, Lao, Khmer and
 * Burmese. A search finds a part of such a text.
 */

export const unspaced =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]--[\p{Z}\p{Cc}\p{P}\p{S}]]/v;
