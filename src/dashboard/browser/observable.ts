/** A value that notifies its subscribers when it changes. */
import { useEffect, useState } from "preact/hooks";

export interface Observable<T> {
  get(): T;
  set(value: T): void;
  /** Returns a function that unsubscribes. */
  subscribe(listener: (value: T) => void): () => void;
}

export function observable<T>(first: T): Observable<T> {
  let value = first;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener(next);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useObservable<T>(of: Observable<T>): T {
  const [seen, see] = useState({ value: of.get() });
  useEffect(() => {
    const look = () => see({ value: of.get() });
    look();
    return of.subscribe(look);
  }, [of]);
  return seen.value;
}
