/**
 * A value that is here or on its way. SQLite answers a read at once and PostgreSQL answers later;
 * the hot path must not pay for a promise where none is needed.
 */
export type MaybePromise<T> = T | Promise<T>;

export function then<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
