/** A value that components can subscribe to. */
import { useLayoutEffect, useReducer } from 'preact/hooks';

export class Observable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
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
