/** The keys of the console, as they are listed and as they are found. Without a browser. */

export type CommandName = 'search' | 'new' | 'all' | 'keys';

interface Key {
  readonly key: string;
  readonly text: string;
}

/** Keys that work everywhere. */
export const pageKeys: readonly (Key & { readonly name: CommandName })[] = [
  { name: 'search', key: '/', text: 'Search the list' },
  { name: 'new', key: 'n', text: 'New plant' },
  { name: 'all', key: 'Ctrl A', text: 'Select all plants of the list' },
  { name: 'keys', key: '?', text: 'Show the keys' },
];

/** Keys that work in the list, or in what has the focus. */
export const listKeys: readonly Key[] = [
  { key: '↑ ↓ Home End', text: 'Move in the list; ↓ leads from the search to it' },
  {
    key: 'e or F2',
    text: 'Edit name and tag in the row, or click them: Tab goes on, Enter takes a suggested tag, then saves, Esc restores',
  },
  { key: 'Enter', text: 'Open the plant in focus; in the search, the plant with this id' },
  { key: 'x or Space', text: 'Select the plant in focus; with Shift and ↑ ↓, several' },
  { key: 'Del', text: 'Delete the selected plants, or the one in focus' },
  { key: 'Ctrl V', text: 'Outside of a field: import the copied rows' },
  { key: 'Ctrl P', text: 'Print the list' },
  { key: 'Esc', text: 'Close the form, then clear the selection' },
];

interface Press {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
}

/** Of a key that an input method uses. Safari sends its Enter after the composition has ended. */
const usedKeyCode = 229;

/** The key by its name, whatever Caps Lock and the letters on the keyboard are; '' belongs to an input method. Call it for every key. */
export function keyOf({
  key,
  code,
  keyCode,
  shiftKey,
  isComposing,
}: Pick<Press, 'key' | 'code' | 'keyCode' | 'shiftKey' | 'isComposing'>): string {
  if (isComposing || keyCode === usedKeyCode) return '';
  if (key.length > 1) return key;
  const latin = /^[\0-\x7f]$/.test(key) ? key : (/^Key([A-Z])$/.exec(code)?.[1] ?? key);
  return shiftKey ? latin : latin.toLowerCase();
}

/** @param isTyping the key belongs to a text. */
export function findCommand(press: Press, isTyping: boolean): CommandName | undefined {
  const key = keyOf(press);
  if (press.altKey || isTyping) return undefined;
  if (press.ctrlKey || press.metaKey) return key === 'a' && !press.shiftKey ? 'all' : undefined;
  return pageKeys.find((command) => command.key === key)?.name;
}
