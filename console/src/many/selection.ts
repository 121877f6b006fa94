/** The selected plants of the list. What happens to them is in picked-plants.ts. */
import { route, toFilter } from '../route.ts';
import { session } from '../session/session.ts';
import { PickedPlants } from './picked-plants.ts';

export const picked = new PickedPlants();
export const { selection } = picked;

picked.show(toFilter(route.value));
route.subscribe(() => picked.show(toFilter(route.value)));
session.subscribe(() => {
  if (session.value === undefined) picked.clear();
});
