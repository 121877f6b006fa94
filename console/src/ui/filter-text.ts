/** Filters in words. */
import type { PlantFilter } from '../../../src/client/client.ts';
import { parseTypedId } from '../parse-id.ts';
import { toCount } from './numbers.ts';
import { toQuoted } from './plant-text.tsx';

/** `all 1,000 plants`, `all 20 plants with the tag “fern”`, `all plants matching “deli”`. @param count undefined: unknown. */
export function toFilterText({ search = '', tag, untagged }: PlantFilter, count: number | bigint | undefined): string {
  const rules = [
    ...(search === ''
      ? []
      : [`matching ${toQuoted(search)}${parseTypedId(search) === undefined ? '' : ' by name or tag'}`]),
    ...(untagged === true ? ['without a tag'] : []),
    ...(tag === undefined ? [] : [`with the tag ${tag === '' ? '“”' : toQuoted(tag)}`]),
  ];
  const plants =
    count === undefined ? 'all plants' : `${count === 1 || count === 1n ? '' : 'all '}${toCount(count, 'plant')}`;
  return [plants, rules.join(' and ')].filter(Boolean).join(' ');
}

export function toSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
