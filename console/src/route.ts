/** The state in the address: view, filter, plant. The token is never in it. */
import { parseInt64, type PlantFilter } from '../../src/client/client.ts';
import { Observable } from './observable.ts';

export const viewTitles = {
  plants: 'Plants',
  tags: 'Tags',
  activity: 'Activity',
  bin: 'Bin',
  import: 'Import',
  labels: 'Labels',
  settings: 'Settings',
  webhooks: 'Webhooks',
  tokens: 'Tokens',
} as const;
export type ViewName = keyof typeof viewTitles;
const viewNames = Object.keys(viewTitles) as ViewName[];

/** By id from the lowest or the highest, or by name or tag from the first or the last. */
export type ListOrder = 'id' | 'highest' | 'name' | 'last-name' | 'tag' | 'last-tag';

export interface Route {
  readonly view: ViewName;
  /** Parts of words of a name or a tag, or an id; '' is none. */
  readonly search: string;
  /** Exactly this tag; null: plants without one; undefined: any. */
  readonly tag: string | null | undefined;
  readonly order: ListOrder;
  /** The plant in the editor. */
  readonly plant: bigint | 'new' | undefined;
  /** What the address has in place of the id of a plant. */
  readonly noPlant?: string | undefined;
  /** The plants whose labels are shown; undefined: those of the filter. */
  readonly ids: readonly bigint[] | undefined;
  readonly size: string | undefined;
  /** It was here before: by the back button of the browser, or the next one. */
  readonly isReturn: boolean;
}

/** Plants whose labels are shown, at most: their ids must fit into an address. */
export const labelledMax = 500;

const orders: readonly ListOrder[] = ['highest', 'name', 'last-name', 'tag', 'last-tag'];

export const route = new Observable<Route>(parseRoute(location.search));

addEventListener('popstate', () => route.set({ ...parseRoute(location.search), isReturn: true }));

/** Changes the address and what is shown. `replace`: without an entry in the history, as while typing. */
export function navigate(change: Partial<Route>, { replace = false } = {}): void {
  const next = { ...route.value, noPlant: undefined, isReturn: false, ...change };
  const address = toAddress(next);
  if (address !== location.pathname + location.search) {
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
  }
  route.set(next);
}

/** Shows the labels of these plants, as many as an address can have; undefined: of those of the filter. */
export function showLabels(ids: readonly bigint[] | undefined): void {
  navigate({ view: 'labels', ids: ids?.slice(0, labelledMax), plant: undefined });
}

/** Where there are more plants than a page can have, only these orders are possible. */
export function isById(order: ListOrder): boolean {
  return order === 'id' || order === 'highest';
}

export function toFilter({ search, tag }: Pick<Route, 'search' | 'tag'>): PlantFilter {
  const ofTag: PlantFilter = tag === undefined ? {} : tag === null ? { untagged: true } : { tag };
  return { ...(search === '' ? {} : { search }), ...ofTag };
}

/** A link within the page. @param change what another address has. */
export function toLink(change: Partial<Route>) {
  return {
    href: toAddress({ ...route.value, ...change }),
    onClick: (event: MouseEvent) => {
      // A tab or a window of its own.
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      navigate(change);
    },
  };
}

/** A link that filters by a tag; null: plants without one. */
export function tagLink(tag: string | null) {
  return toLink({ ...allPlants, tag });
}

export function plantLink(plant: bigint) {
  return toLink({ ...allPlants, plant });
}

/** The change that shows a view: keeps the filter, but shows all that the bin has; drops everything else. */
export function viewChange(view: ViewName): Partial<Route> {
  return { view, plant: undefined, ids: undefined, size: undefined, ...(view === 'bin' && { search: '' }) };
}

/** The change that shows the list without a filter. */
export const allPlants: Partial<Route> = { ...viewChange('plants'), search: '', tag: undefined };

function parseRoute(query: string): Route {
  const parameters = new URLSearchParams(query);
  const view = viewNames.find((each) => each === parameters.get('view')) ?? 'plants';
  const plant = parameters.get('plant') ?? '';
  const id = parseInt64(plant);
  const ids = parameters.get('ids');
  const order = parameters.get('order');
  return {
    view,
    search: parameters.get('search') ?? '',
    tag: parameters.has('untagged') ? null : (parameters.get('tag') ?? undefined),
    order: orders.find((each) => each === order) ?? 'id',
    plant: plant === 'new' ? 'new' : id,
    noPlant: plant === '' || plant === 'new' || id !== undefined ? undefined : plant,
    ids: ids === null ? undefined : [...new Set(ids.split(',').flatMap((text) => parseInt64(text) ?? []))],
    size: parameters.get('size') ?? undefined,
    isReturn: false,
  };
}

function toAddress({ view, search, tag, order, plant, ids, size }: Route): string {
  const parameters = new URLSearchParams();
  if (view !== 'plants') parameters.set('view', view);
  if (search !== '') parameters.set('search', search);
  if (tag === null) parameters.set('untagged', 'true');
  else if (tag !== undefined) parameters.set('tag', tag);
  if (order !== 'id') parameters.set('order', order);
  if (plant !== undefined) parameters.set('plant', String(plant));
  if (ids !== undefined) parameters.set('ids', ids.join(','));
  if (size !== undefined) parameters.set('size', size);
  const query = parameters.toString().replaceAll('%2C', ',');
  return location.pathname + (query === '' ? '' : `?${query}`);
}
