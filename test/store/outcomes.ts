interface Outcome {
  readonly kind: string;
}

/** The outcome of a write that was done just now. */
export function doneOf<T extends Outcome>(
  outcome: T,
): Extract<T, { readonly kind: "done" | "replayed" }> {
  if (outcome.kind !== "done") throw new Error(`This was expected to be done: ${outcome.kind}.`);
  return outcome as Extract<T, { readonly kind: "done" | "replayed" }>;
}

/** How often each kind of outcome came about. */
export function kindsOf(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of outcomes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
