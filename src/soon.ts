/**
 * A value that is here or on its way. SQLite answers a read at once and PostgreSQL answers later;
 * the hot path must not pay for a promise where none is needed.
 */
export type Soon<T> = T | Promise<T>;

export function then<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
