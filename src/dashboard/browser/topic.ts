/** A value that several parts of the page look at, and that tells them when it changes. */
import { useEffect, useState } from "preact/hooks";

export interface Topic<T> {
  get(): T;
  set(value: T): void;
  /** Returns the end of listening. */
  listen(hear: (value: T) => void): () => void;
}

export function topic<T>(first: T): Topic<T> {
  let value = first;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const hear of [...listeners]) hear(next);
    },
    listen(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}

export function useTopic<T>(of: Topic<T>): T {
  const [seen, see] = useState({ value: of.get() });
  useEffect(() => {
    const look = () => see({ value: of.get() });
    look();
    return of.listen(look);
  }, [of]);
  return seen.value;
}
