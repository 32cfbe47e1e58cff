import type { Stores } from "../../src/storage/stores.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const under = (idempotencyKey: string) => ({
  keyId: "key_a",
  idempotencyKey,
  fingerprint: idempotencyKey,
  nowMs,
});

/** Adds pet 1, orders, approves and delivers it, orders and cancels again, and deletes it, each under an idempotency key. */
export async function* idempotentSteps({ catalogue, orders }: Stores) {
  const steps = [
    () =>
      catalogue.add(
        { name: "Bella", categoryId: 3n, status: "available" },
        { idempotency: under("add") },
      ),
    () => orders.place({ petId: 1n, quantity: 1 }, nowMs, under("place")),
    () => orders.move(1n, "approve", under("approve")),
    () => orders.move(1n, "deliver", under("deliver")),
    () => catalogue.update(1n, { status: null }, { idempotency: under("update") }),
    () => orders.place({ petId: 1n, quantity: 1 }, nowMs, under("place again")),
    () => orders.move(2n, "cancel", under("cancel")),
    () => catalogue.delete(1n, { idempotency: under("delete") }),
  ];
  for (const step of steps) {
    const outcome = await step();
    if (outcome.kind !== "done" && outcome.kind !== "replayed") throw new Error(outcome.kind);
    yield outcome;
  }
}
