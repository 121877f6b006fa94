/** What is wrong with a row of CSV, for people who fix the file. An app that only reads rows does not load these texts. */
import { carriageReturn, type CsvState, lineFeed, nextCsvState, quote } from './csv-grammar.ts';
import type { RawRow } from './row-splitter.ts';

const loneReturn =
  'A carriage return (CR) is not followed by a line feed (LF): save the file with LF or CRLF at the end of each line';

/**
 * Returns a sentence without a full stop; undefined: there is no more to say than the code of the error.
 * @param text of a row that is malformed; undefined: it is too long.
 */
export function explainCsvRow(row: RawRow, separator: number, text?: string): string | undefined {
  return text === undefined ? explainLength(row) : explainForm(text, separator);
}

/** Without numbers: of a much longer row a client sends only the beginning. */
function explainLength({ lines, isOpen, state, bytes }: RawRow): string | undefined {
  if (lines > (isOpen ? 0 : 1)) return 'A quote may lack its end, so the lines after it were read as part of its field';
  return state === 'malformed' && bytes.includes(carriageReturn) ? loneReturn : undefined;
}

/**
 * How many lines a quote that may lack its end has made part of the row. Counts from the row: in a
 * part of a file, lines have other numbers.
 */
function explainForm(text: string, separator: number): string | undefined {
  let state: CsvState = 'start';
  let innerLines = 0;
  /** Line feeds before the last opening quote. */
  let before = 0;
  for (let at = 0; at < text.length && state !== 'malformed'; at++) {
    const unit = text.charCodeAt(at);
    if (unit === lineFeed) innerLines += 1;
    if (unit === quote && state === 'start') before = innerLines;
    if (state === 'return') return loneReturn;
    state = nextCsvState(state, unit, separator);
  }
  if (state === 'return') return loneReturn;
  const isUnclosed = state === 'quoted';
  // The line break at the end of the file begins no line.
  const lines = innerLines - before - (isUnclosed && text.endsWith('\n') ? 1 : 0);
  if (lines === 0 && !isUnclosed) return undefined;
  const opened = before === 0 ? 'A quote' : `A quote ${before} ${before === 1 ? 'line' : 'lines'} further down`;
  const end = isUnclosed ? 'is never closed' : 'may lack its end';
  const next = lines === 1 ? 'next line was' : `next ${lines} lines were`;
  return `${opened} ${end}${lines === 0 ? '' : `, so the ${next} read as part of its field`}`;
}
