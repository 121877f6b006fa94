/** Light or dark, chosen or as the system. The choice is kept in the browser. */
import { Observable } from '../observable.ts';

const themeKey = 'plant-store.theme';

export const theme = new Observable<string>(readTheme());

/** @param name `light`, `dark` or `system`. */
export function setTheme(name: string): void {
  try {
    localStorage.setItem(themeKey, name);
  } catch {
    // Then it applies until the page is closed.
  }
  theme.set(name);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

function readTheme(): string {
  try {
    const name = localStorage.getItem(themeKey);
    return name === 'light' || name === 'dark' ? name : 'system';
  } catch {
    return 'system';
  }
}
