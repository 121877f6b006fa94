/** Why the service refuses a row, without the words of its schema. Without a browser. */
import { plantIdInvalid, plantIdTaken } from '../../../src/domain/error-numbers.ts';

/** @param message of the service: what is wrong, then why. */
export function toShopWords(error: number, message: string): string {
  if (error === plantIdTaken) return 'A plant with this id is there already, with another name or tag';
  const why = message
    .slice(message.indexOf('. ') + 1)
    .trim()
    .replace(/^It /, error === plantIdInvalid ? 'The id ' : 'The row ')
    .replaceAll(/"(\w+)"/g, 'the $1')
    .replace(' (Unicode code points)', '')
    .replace('the header line', 'the headings');
  return why.charAt(0).toUpperCase() + why.slice(1);
}
