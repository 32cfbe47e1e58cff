/** What texts are to this engine, where that differs from what they are to us. */

/** PostgreSQL has no NUL in a text and fails on one, so that nothing can be stored under it. */
export function hasNul(text: string): boolean {
  return text.includes("\0");
}

/** By their code units, whatever the language of the server makes of letters and hyphens. */
export function byText<T>(textOf: (item: T) => string): (one: T, other: T) => number {
  return (one, other) => {
    const [a, b] = [textOf(one), textOf(other)];
    return a === b ? 0 : a < b ? -1 : 1;
  };
}
