/** Values that components can subscribe to, and those who listen to anything else. */
import { useLayoutEffect, useReducer } from 'preact/hooks';

export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>();

  /** Returns a function that removes it. */
  add(listener: (event: Event) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  call(event: Event): void {
    for (const listener of [...this.#all]) listener(event);
  }
}

export class Observable<Value> {
  #value: Value;
  readonly #listeners = new Listeners<undefined>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.#listeners.call(undefined);
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}

/** The current value; the component renders again when it changes. */
export function useValue<Value>(observable: Observable<Value>): Value {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const { value } = observable;
  useLayoutEffect(() => {
    // It may have changed since the component rendered.
    if (!Object.is(observable.value, value)) redraw(undefined);
    return observable.subscribe(() => redraw(undefined));
  }, [observable]);
  return value;
}
