/** The list for the filter and the order of the address, as components see it. What it shows is up to shown-rows.ts. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { PlantFilter } from '../../../src/client/client.ts';
import type { PlantCopy } from '../copy/plant-copy.ts';
import { countOf, tally } from '../copy/tags.ts';
import { Observable, useValue } from '../observable.ts';
import { picked } from '../actions/picked-plants.ts';
import { isById, type ListOrder, route, toFilter } from '../route.ts';
import { onDraftsDropped } from '../session/drafts.ts';
import { toStorageKey } from '../session/service-url.ts';
import { ofSession } from '../session/session.ts';
import { typingMs } from '../session/ask-after-typing.ts';
import { readStoredJson, writeStored } from '../ui/stored-text.ts';
import { ShownRows } from './shown-rows.ts';

/** Lists to whose places one can return. */
const placesMax = 20;

/** The first visible row, and how much of it is above the edge, as a part of its height. */
interface Place {
  /** Its digits. */
  readonly id: string;
  readonly offset: number;
}

/** The list that is open. With a `place`, its row is not loaded yet; without, the list is at its start or where the person scrolled. */
interface Opened {
  readonly name: string;
  readonly start: number;
  readonly place?: Place | undefined;
}

interface OpenList {
  readonly shown: ShownRows;
  /** Where each list was left, by its name; before a reload of the page, too. */
  readonly places: Map<string, Place>;
  readonly edition: Observable<number>;
}

export interface ShownList {
  readonly copy: PlantCopy;
  readonly shown: ShownRows;
  /** Of the filter and the order. */
  readonly name: string;
  readonly order: ListOrder;
  /** The number of the row that is at the top when the list opens, with a fraction. */
  readonly start: number;
  /** What is shown is not all, or of another filter: it is being loaded. */
  readonly isLoading: boolean;
  /** There are more plants than are shown: more than the copy can have. */
  readonly isCut: boolean;
  /** Number of plants, if it is known. */
  readonly count: number | undefined;
  /** Call with the number of the first visible row. */
  readonly keepPlace: (top: number) => void;
}

/** One for each session: it stays up to date while another view is shown. */
const lists = ofSession(() => new Map<PlantCopy, OpenList>());

/** @param only of the filter, these alone. */
export function useList(
  copy: PlantCopy,
  filter: PlantFilter,
  wanted: ListOrder,
  only: ReadonlySet<bigint> | undefined,
): ShownList {
  const list = lists().get(copy) ?? openList(copy);
  useValue(list.edition);
  const known = useValue(tally);
  const { shown, places } = list;
  const text = JSON.stringify(filter);
  const { phase, isWhole, query, end } = copy.state;
  const isFound = isWhole || (copy.isLoaded && JSON.stringify(query.filter) === text);
  const isLoading = !isFound || (!isWhole && phase === 'reloading');
  const isCut = end !== undefined && !isLoading && only === undefined;
  // The first ones by id, sorted by name, would not be the first ones by name.
  const order = !isById(wanted) && end !== undefined ? 'id' : wanted;
  const name = `${order} ${text}${only === undefined ? '' : ' only'}`;
  const opened = useRef<Opened>(undefined);
  // While it renders, not in an effect: otherwise the rows of the last list, or the top of this one, would be drawn first.
  if (opened.current?.name !== name) {
    const isReturn = opened.current === undefined || route.value.isReturn;
    shown.show(filter, order, only);
    opened.current = { name, start: 0, place: isReturn ? places.get(name) : undefined };
  }
  const { place } = opened.current;
  const at = place && shown.indexOf(BigInt(place.id));
  // Its row is loaded, and the person has not scrolled before.
  if (place !== undefined && at !== undefined) opened.current = { name, start: at + place.offset };

  const aim = (): void => copy.aim({ filter, order: wanted === 'highest' ? 'desc' : 'asc' });
  useLayoutEffect(aim, [copy]);
  useEffect(() => {
    const timer = setTimeout(aim, typingMs);
    return () => clearTimeout(timer);
  }, [copy, text, wanted]);

  return {
    copy,
    shown,
    name,
    order,
    start: opened.current.start,
    isLoading,
    isCut,
    count: isLoading || isCut ? countOf(known, filter) : shown.size,
    keepPlace: (top) => {
      const at = Math.floor(top);
      const id = shown.rows[at]?.id;
      if (id === undefined) return;
      opened.current = { name, start: opened.current?.start ?? 0 };
      places.delete(name);
      places.set(name, { id: String(id), offset: top - at });
      for (const oldest of places.keys()) if (places.size > placesMax) places.delete(oldest);
    },
  };
}

function openList(copy: PlantCopy): OpenList {
  const edition = new Observable(0);
  const shown = new ShownRows(copy, () => {
    // Nothing stays selected that is no longer in the list, once all of it is read.
    const isOfAddress = JSON.stringify(shown.filter) === JSON.stringify(toFilter(route.value));
    const { phase, end } = copy.state;
    if (copy.isLoaded && phase !== 'reloading' && isOfAddress) {
      if (end === undefined) picked().settle(() => shown.ids());
      picked().keep((id) => shown.has(id));
    }
    edition.set(edition.value + 1);
  });
  copy.changes.add((change) => shown.take(change));
  const list = { shown, places: readPlaces(), edition };
  lists().set(copy, list);
  return list;
}

/** The list that was scrolled last, for a reload of the page. */
const placeKey = toStorageKey('place');
addEventListener('pagehide', () => {
  const last = [...lists().values()].flatMap(({ places }) => [...places]).at(-1);
  if (last !== undefined) writeStored('sessionStorage', placeKey, JSON.stringify(last));
});
onDraftsDropped(() => writeStored('sessionStorage', placeKey, undefined));

function readPlaces(): OpenList['places'] {
  const kept = readStoredJson('sessionStorage', placeKey);
  return new Map(kept === undefined ? [] : [kept as [string, Place]]);
}
