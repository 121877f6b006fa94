/** A value that components can watch. What it means is for its owner to say. */
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

  /** Returns what ends the watching. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** The value now; the component is drawn again whenever it changes. */
export function useValue<Value>(observable: Observable<Value>): Value {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const { value } = observable;
  useLayoutEffect(() => {
    // It may have changed between the drawing and now.
    if (!Object.is(observable.value, value)) redraw(undefined);
    return observable.subscribe(() => redraw(undefined));
  }, [observable]);
  return value;
}
