/** The bar above the reference: links to the other pages, and the theme that all pages share. */
import { setTheme, theme } from '../src/ui/theme.ts';

export function prepareBar(serverUrl: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.bar a'))
    link.href = serverUrl + (link.dataset['path'] ?? '');
  const choice = document.querySelector<HTMLSelectElement>('#theme');
  if (choice === null) return;
  choice.value = theme.value;
  choice.addEventListener('change', () => setTheme(choice.value));
}
