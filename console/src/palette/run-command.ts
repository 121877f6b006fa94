/** What each command of ui/keys.ts does. */
import { focusList } from '../list/plants-view.tsx';
import { navigate, viewChange } from '../route.ts';
import type { CommandName } from '../ui/keys.ts';
import { showKeys } from '../session/keys-dialog.tsx';
import { setTheme } from '../ui/theme.ts';
import { showPalette } from './palette.tsx';

const runs: Readonly<Record<CommandName, () => void>> = {
  palette: showPalette,
  search: () => inList('[type=search]', (field) => field instanceof HTMLInputElement && field.select()),
  new: () => navigate({ ...viewChange('plants'), plant: 'new' }),
  all: () =>
    inList('.row-head [type=checkbox]:not(:checked)', (box) => {
      box.click();
      focusList();
    }),
  export: () => inList('.list-actions .export > .button:not([aria-label])', (button) => button.click()),
  keys: showKeys,
  light: () => setTheme('light'),
  dark: () => setTheme('dark'),
  system: () => setTheme('system'),
};

/** @param canWrite otherwise, there is no new plant. */
export function runCommand(name: CommandName, canWrite: boolean): void {
  if (name !== 'new' || canWrite) runs[name]();
}

/** Shows the list, unless it is beside an open form, and does something with an element of it once that is there. */
function inList(selector: string, act: (element: HTMLElement) => unknown): void {
  if (document.querySelector('.stage:not([inert]) .list-head') === null) navigate(viewChange('plants'));
  setTimeout(() => {
    const element = document.querySelector<HTMLElement>(selector);
    if (element !== null) act(element);
  });
}
