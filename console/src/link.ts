/** A link within the page. */
import { linkTo, navigate, type Route, viewChange } from './route.ts';

interface LinkProps {
  readonly href: string;
  readonly onClick: (event: MouseEvent) => void;
}

/** @param change what another address has. */
export function toLink(change: Partial<Route>): LinkProps {
  return {
    href: linkTo(change),
    onClick: (event) => {
      // A tab or a window of its own.
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      navigate(change);
    },
  };
}

/** A link that filters by a tag; null: plants without one. */
export function tagLink(tag: string | null) {
  return toLink({ ...viewChange('plants'), tag, search: '' });
}

/** A link that opens a plant. */
export function plantLink(plant: bigint) {
  return toLink({ ...viewChange('plants'), tag: undefined, search: '', plant });
}
