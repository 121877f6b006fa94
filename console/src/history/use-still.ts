/** What others change stays as it was while the pointer or the focus is on it: nothing moves under them. */
import { useState } from 'preact/hooks';

/** Returns what to show, what its list listens to, and a function that shows the newest at once. */
export function useStill<Value>(newest: Value) {
  const [still, setStill] = useState<Value | undefined>(undefined);
  const stay = (): void => setStill(newest);
  const follow = (): void => setStill(undefined);
  const events = { onMouseEnter: stay, onFocusIn: stay, onMouseLeave: follow, onFocusOut: follow };
  return { shown: still ?? newest, events, follow };
}
