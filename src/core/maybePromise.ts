/**
 * A value, or a promise of it. Reads are synchronous on SQLite and asynchronous on PostgreSQL; the
 * hot path must not pay for a promise that it does not need.
 */
export type MaybePromise<T> = T | Promise<T>;

export function then<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
