/** Light or dark, chosen or as the system. The choice is kept in the browser. */
import { Observable } from '../observable.ts';
import { readStored, writeStored } from './stored-text.ts';

const themeKey = 'plant-store.theme';

export const theme = new Observable<string>(readTheme());

/** @param name `light`, `dark` or `system`. */
export function setTheme(name: string): void {
  writeStored('localStorage', themeKey, name);
  theme.set(name);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

function readTheme(): string {
  const name = readStored('localStorage', themeKey);
  return name === 'light' || name === 'dark' ? name : 'system';
}
