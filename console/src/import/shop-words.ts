/** Why the service refuses a row, without the words of its schema. Without a browser. */
import { plantIdInvalid, plantIdTaken } from '../../../src/client/client.ts';

/** What replaces words of the service, in this order. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^Cannot read JSON: wanted/, 'The row is not valid JSON: expected'],
  [/^The body must be an object/, 'The row must begin with { and end with }'],
  [/^The body/, 'The row'],
  [/^In a spreadsheet/, 'The row is not valid UTF-8. In a spreadsheet'],
  [/^Remove it /, 'Remove the character U+0000 '],
  [/"(\w+)"/g, 'the $1'],
  [/a JSON number, not .*/, 'a number without quotes'],
  [/a string$/, 'a text in quotes'],
  [/an integer/, 'a whole number'],
  [/consist of digits, .*/, 'have digits only: in a spreadsheet, format its column as a number without decimals'],
  [/a member name/, 'a name'],
  [/a name that its object does not have yet/, 'a name that the row does not have yet'],
  [/a surrogate pair/, 'a whole character'],
  [/ \(Unicode code points\)/, ''],
  [/the header line/, 'the headings'],
];

/** @param message of the service: what is wrong, then why. */
export function toShopWords(error: number, message: string): string {
  if (error === plantIdTaken) return 'A plant with this id is there already, with another name or tag';
  const [what = '', ...why] = message.split('. ');
  const said = (why.join('. ') || what.replace('Invalid CSV row: ', '')).replace(
    /^It /,
    error === plantIdInvalid ? 'The id ' : 'The row ',
  );
  const text = words.reduce((all, [from, to]) => all.replace(from, to), said);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
