/** The bar above the reference: the ways out of it, and for how long a token is kept. How the component keeps one is its own matter. */

/** The choice itself; never a token. */
const choiceKey = 'plant-store-docs-keeps-token';
/** Where the component keeps tokens, when it is told to. */
const tokenKeyPrefix = 'scalar-reference-auth';
/** It writes half a second after the last change. */
const lateWriteMs = 1_000;

/** Whether the person has chosen that this browser keeps the token. */
export function isTokenKept(): boolean {
  return localStorage.getItem(choiceKey) !== null;
}

/** @param keepTokens tells the component to keep tokens from now on, or not to. */
export function prepareBar(serverUrl: string, keepTokens: (isKept: boolean) => void): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.bar a'))
    link.href = serverUrl + (link.dataset['path'] ?? '');
  const choice = document.querySelector<HTMLInputElement>('#keeps-token');
  if (choice === null) return;
  if (!isTokenKept()) forgetTokens();
  choice.checked = isTokenKept();
  choice.addEventListener('change', () => {
    keepTokens(choice.checked);
    if (choice.checked) {
      localStorage.setItem(choiceKey, 'yes');
      enterAgain();
    } else {
      localStorage.removeItem(choiceKey);
      forgetTokens();
      setTimeout(forgetTokens, lateWriteMs);
    }
  });
}

function forgetTokens(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(tokenKeyPrefix)) localStorage.removeItem(key);
}

/** The component keeps a token when it is entered: one that stands there already is entered once more. */
function enterAgain(): void {
  const field = document.querySelector<HTMLInputElement>('input[placeholder="Token"]');
  const token = field?.value ?? '';
  if (field === null || token === '') return;
  for (const value of ['', token]) {
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}
