/** The bar above the reference: links to the other pages, the theme that all pages share, and what a sandbox is. */
import { sandboxIdle, sandboxLine } from '../src/session/sandbox.ts';
import { setTheme, theme } from '../src/ui/theme.ts';

export function prepareBar(serverUrl: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.bar a'))
    link.href = serverUrl + (link.dataset['path'] ?? '');
  if (sandboxIdle !== undefined) {
    const note = Object.assign(document.createElement('p'), {
      className: 'bar-note',
      textContent: sandboxLine,
      title: sandboxLine,
    });
    document.querySelector('.bar-theme')?.before(note);
  }
  const choice = document.querySelector<HTMLSelectElement>('#theme');
  if (choice === null) return;
  choice.value = theme.value;
  choice.addEventListener('change', () => setTheme(choice.value));
}
