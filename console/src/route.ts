/** What the address says: which view, which filter, which plant. The token is never in it. */
import { Observable } from './observable.ts';
import { parseId } from './parse-id.ts';

export type ViewName = 'plants' | 'overview' | 'import' | 'labels' | 'session';

export interface Route {
  readonly view: ViewName;
  /** Beginning of a name, or an id; '' is none. */
  readonly search: string;
  /** Exactly this tag; undefined is any. */
  readonly tag: string | undefined;
  /** The plant in the editor. */
  readonly plant: bigint | 'new' | undefined;
  /** The plants whose labels are shown; undefined: those of the filter. */
  readonly ids: readonly bigint[] | undefined;
  readonly size: string | undefined;
  readonly paper: string | undefined;
}

const views: readonly ViewName[] = ['plants', 'overview', 'import', 'labels', 'session'];

export const route = new Observable<Route>(parseRoute(location.search));

addEventListener('popstate', () => route.set(parseRoute(location.search)));

/** Goes there. `replace`: without a step for the back button, as while somebody types. */
export function navigate(change: Partial<Route>, { replace = false } = {}): void {
  const next = { ...route.value, ...change };
  const address = toAddress(next);
  if (address !== location.pathname + location.search) {
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
  }
  route.set(next);
}

/** The address of another state, for links: the rest stays as it is. */
export function linkTo(change: Partial<Route>): string {
  return toAddress({ ...route.value, ...change });
}

/** A view without anything of the view before, but for the filter. */
export function viewChange(view: ViewName): Partial<Route> {
  return { view, plant: undefined, ids: undefined, size: undefined, paper: undefined };
}

function parseRoute(query: string): Route {
  const parameters = new URLSearchParams(query);
  const view = views.find((each) => each === parameters.get('view')) ?? 'plants';
  const plant = parameters.get('plant');
  const ids = parameters.get('ids');
  return {
    view,
    search: parameters.get('search') ?? '',
    tag: parameters.get('tag') ?? undefined,
    plant: plant === 'new' ? 'new' : plant === null ? undefined : parseId(plant),
    ids: ids?.split(',').flatMap((text) => parseId(text) ?? []),
    size: parameters.get('size') ?? undefined,
    paper: parameters.get('paper') ?? undefined,
  };
}

function toAddress({ view, search, tag, plant, ids, size, paper }: Route): string {
  const parameters = new URLSearchParams();
  if (view !== 'plants') parameters.set('view', view);
  if (search !== '') parameters.set('search', search);
  if (tag !== undefined) parameters.set('tag', tag);
  if (plant !== undefined) parameters.set('plant', String(plant));
  if (ids !== undefined) parameters.set('ids', ids.join(','));
  if (size !== undefined) parameters.set('size', size);
  if (paper !== undefined) parameters.set('paper', paper);
  const query = parameters.toString().replaceAll('%2C', ',');
  return location.pathname + (query === '' ? '' : `?${query}`);
}
