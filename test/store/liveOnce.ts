import type { Stores } from "../../src/stores.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const once = (mark: string) => ({ keyId: "key_a", mark, fingerprint: mark, nowMs });

/** Adds pet 1, orders, approves and delivers it, each under a mark. */
export async function* liveOnce({ catalogue, orders }: Stores) {
  const steps = [
    () =>
      catalogue.add({ name: "Bella", categoryId: 3n, status: "available" }, { once: once("add") }),
    () => orders.place({ petId: 1n, quantity: 1 }, nowMs, once("place")),
    () => orders.move(1n, "approve", once("approve")),
    () => orders.move(1n, "deliver", once("deliver")),
  ];
  for (const step of steps) {
    const outcome = await step();
    if (outcome.kind !== "done" && outcome.kind !== "replayed") throw new Error(outcome.kind);
    yield outcome;
  }
}
