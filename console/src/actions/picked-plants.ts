/**
 * The plants that are selected in the list: another filter is another list, so what is selected is always in it. `picked()` changes the
 * `Selection` of the session; what an action is then done to is a `Target` (bulk-actions.ts).
 */
import type { PlantFilter } from '../../../src/client/client.ts';
import { Observable, useValue } from '../observable.ts';
import { allPlants, navigate, route, toFilter } from '../route.ts';
import { ofSession } from '../session/session.ts';
import { showToast } from '../session/toasts.tsx';
import { toCount } from '../ui/numbers.ts';

/** Some plants, or all that match a filter, of which the page cannot have all. */
export class Selection {
  /** None if all of a filter are selected. */
  readonly ids: ReadonlySet<bigint>;
  /** All that match are selected, also those that are not loaded, or match later. */
  readonly filter: PlantFilter | undefined;
  /** The list shows these alone, as long as some are selected. */
  readonly only: Selection['ids'] | undefined;

  constructor(ids: Selection['ids'] = new Set(), filter?: PlantFilter, only?: Selection['only']) {
    this.ids = ids;
    this.filter = filter;
    this.only = ids.size === 0 ? undefined : only;
  }

  get isEmpty(): boolean {
    return this.filter === undefined && this.ids.size === 0;
  }

  has(id: bigint): boolean {
    return this.filter !== undefined || this.ids.has(id);
  }
}

class PickedPlants {
  readonly selection = new Observable(new Selection());
  /** The filter of the list, as text. */
  #list = toListName();

  /** Call when the list may be another. */
  follow(): void {
    const list = toListName();
    if (list === this.#list) return;
    this.#list = list;
    const { ids } = this.selection.value;
    this.clear();
    if (ids.size === 0) return;
    const again = (): void => {
      navigate(allPlants);
      this.showOnly(ids);
    };
    const text = `${toCount(ids.size, 'plant is', 'plants are')} no longer selected`;
    showToast({ text, actions: [{ label: 'Select again', run: again }] });
  }

  showOnly(ids: Iterable<bigint>): void {
    this.clear();
    this.add(ids);
    this.toggleOnly();
  }

  /** @param loaded the rows at hand: they are what stays selected, without the plant, if all that match were. */
  toggle(id: bigint, loaded: Iterable<bigint> = []): void {
    const { ids, filter } = this.selection.value;
    const next = new Set(filter === undefined ? ids : loaded);
    if (!next.delete(id)) next.add(id);
    this.#set(next);
  }

  /** @param before what was selected, in place of what is. */
  add(ids: Iterable<bigint>, before = this.selection.value.ids): void {
    if (this.selection.value.filter === undefined) this.#set(new Set([...before, ...ids]));
  }

  /** Selects all plants of a list that the page does not have as a whole. */
  addAll(filter: PlantFilter): void {
    this.selection.set(new Selection(undefined, filter));
  }

  /** Call when the page has all plants of the list: if all are selected, it is these. */
  settle(listed: () => Iterable<bigint>): void {
    if (this.selection.value.filter !== undefined) this.#set(new Set(listed()));
  }

  /** Call when plants may have left the list. */
  keep(isListed: (id: bigint) => boolean): void {
    const { ids } = this.selection.value;
    const left = new Set([...ids].filter(isListed));
    if (left.size < ids.size) this.#set(left);
  }

  /** Shows what is selected now and nothing else, or the list again. */
  toggleOnly(): void {
    const { ids, only } = this.selection.value;
    this.selection.set(new Selection(ids, undefined, only === undefined ? ids : undefined));
  }

  clear(): void {
    if (!this.selection.value.isEmpty) this.selection.set(new Selection());
  }

  #set(ids: Selection['ids']): void {
    this.selection.set(new Selection(ids, undefined, this.selection.value.only));
  }
}

function toListName(): string {
  return JSON.stringify(toFilter(route.value));
}

export const picked = ofSession(() => new PickedPlants());
route.subscribe(() => picked().follow());

export function useSelection(): Selection {
  return useValue(picked().selection);
}
