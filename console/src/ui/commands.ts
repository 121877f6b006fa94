/** What the list and the form do for parts of the page that do not know them. A component registers a command for as long as it is shown. */
import { useLayoutEffect } from 'preact/hooks';
import type { RowField } from './field-text.tsx';

interface Commands {
  /** Moves the focus into the search of the list, and selects its text. */
  readonly search: () => void;
  /** Selects all plants of the list, and moves the focus to it. */
  readonly selectAll: () => void;
  /** Moves the focus to the row in the tab order. Returns whether there is one. */
  readonly focusList: (options?: FocusOptions) => boolean;
  /** Moves the focus to where work in the form begins. */
  readonly focusForm: () => void;
  readonly focusField: (field: RowField) => void;
  readonly isInForm: (element: Element) => boolean;
}

/** Undefined: nothing on the page can do it now. */
export const commands: { -readonly [Name in keyof Commands]?: Commands[Name] | undefined } = {};

export function useCommand<Name extends keyof Commands>(name: Name, run: Commands[Name]): void {
  useLayoutEffect(() => {
    commands[name] = run;
    return () => {
      commands[name] = undefined;
    };
  });
}
