/** The filter of an address. */
import type { PlantFilter } from '../../../src/client/client.ts';
import type { Route } from '../route.ts';

export function toFilter({ search, tag }: Pick<Route, 'search' | 'tag'>): PlantFilter {
  return { ...(search === '' ? {} : { name: search }), ...(tag === undefined ? {} : { tag }) };
}
