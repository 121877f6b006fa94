/** What can be done in the console: its names in the palette, and its keys as they are listed and as they are found. Without a browser. */

export type CommandName = 'palette' | 'search' | 'new' | 'all' | 'export' | 'light' | 'dark' | 'system' | 'keys';

export interface Command {
  readonly name: CommandName;
  readonly text: string;
  /** Works everywhere. */
  readonly key?: string;
}

export const commands: readonly Command[] = [
  { name: 'palette', text: 'Find a plant, a tag, a page or what can be done', key: 'Ctrl K' },
  { name: 'search', text: 'Search the list', key: '/' },
  { name: 'new', text: 'New plant', key: 'n' },
  { name: 'all', text: 'Select all plants of the list', key: 'Ctrl A' },
  { name: 'export', text: 'Export plants' },
  { name: 'keys', text: 'Show the keys', key: '?' },
  { name: 'light', text: 'Light theme' },
  { name: 'dark', text: 'Dark theme' },
  { name: 'system', text: 'Theme of the system' },
];

/** Keys that work in the list, or in what has the focus. */
export const listKeys: readonly { readonly key: string; readonly text: string }[] = [
  { key: '↑ ↓ Home End', text: 'Move in the list; ↓ leads from the search to it' },
  { key: 'e or F2', text: 'Edit name and tag in the row, or click them: Tab goes on, Enter saves, Esc restores' },
  { key: 'Enter', text: 'Open the plant in focus; in the search, the plant with this id' },
  { key: 'x or Space', text: 'Select the plant in focus; with Shift and ↑ ↓, several' },
  { key: 'Del', text: 'Delete the selected plants, or the one in focus' },
  { key: 'Ctrl V', text: 'Outside of a field: import the copied rows' },
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
  const { ctrlKey, metaKey, altKey, shiftKey } = press;
  const key = keyOf(press);
  if (altKey) return undefined;
  if (ctrlKey || metaKey)
    return shiftKey ? undefined : key === 'k' ? 'palette' : key === 'a' && !isTyping ? 'all' : undefined;
  return isTyping ? undefined : commands.find((command) => command.key === key)?.name;
}
