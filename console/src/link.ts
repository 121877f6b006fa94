/** A link within the page. */
import { linkTo, navigate, type Route } from './route.ts';

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
