/**
 * What a promise is rejected with. Bun's `expect(…).rejects` waits in an event loop of its own, in
 * which a message from the writing thread never arrives when it is itself awaited from one.
 */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error("This was expected to be rejected with an Error.");
}
