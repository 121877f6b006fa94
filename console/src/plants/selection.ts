/** The selected plants of the list. What happens to them is in picked-plants.ts. */
import { route, toFilter } from '../route.ts';
import { session } from '../session/session.ts';
import { onAnnounced } from '../copy/changes.ts';
import { PickedPlants } from './picked-plants.ts';

export const picked = new PickedPlants(toFilter(route.value));
export const { selection } = picked;

route.subscribe(() => picked.show(toFilter(route.value)));
session.subscribe(() => {
  if (session.value === undefined) picked.clear();
});
onAnnounced((announcement) => picked.hear(announcement));
