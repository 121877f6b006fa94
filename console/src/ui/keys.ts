/** The keys of the console, as they are listed and as they are found. Without a browser. */

export type KeyCommand = 'search' | 'new' | 'keys';

/** Keys and what they do; those with a command work everywhere, the others in the list. */
export const keyList: readonly { readonly keys: string; readonly text: string; readonly command?: KeyCommand }[] = [
  { keys: '/ or Ctrl K', text: 'Go to the search', command: 'search' },
  { keys: 'n', text: 'New plant', command: 'new' },
  { keys: '↑ ↓ Home End', text: 'Move in the list; ↓ leads from the search to it' },
  { keys: 'e or F2', text: 'Edit the plant in focus: Tab goes to its tag, Enter saves, Esc drops the change' },
  { keys: 'Enter', text: 'Open the plant in focus; in the search, the plant with this id' },
  { keys: 'x or Space', text: 'Select the plant in focus; with Shift and ↑ ↓, several' },
  { keys: 'Ctrl A', text: 'Select all' },
  { keys: 'Del', text: 'Delete the selected plants, or the one in focus' },
  { keys: 'Ctrl V', text: 'Outside of a field: import the copied rows' },
  { keys: 'Esc', text: 'Close the form, then clear the selection' },
  { keys: '?', text: 'Show these keys', command: 'keys' },
];

interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
}

const plain: Readonly<Record<string, KeyCommand>> = { '/': 'search', n: 'new', '?': 'keys' };

/** @param isTyping the key belongs to a text. */
export function findCommand(press: Press, isTyping: boolean): KeyCommand | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = press;
  if (isComposing || altKey) return undefined;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' && !shiftKey ? 'search' : undefined;
  return isTyping ? undefined : plain[key];
}
