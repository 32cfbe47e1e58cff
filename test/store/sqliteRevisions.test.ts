import { beforeEach, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/clock.ts";
import { mintKey } from "../../src/keys/lifecycle.ts";
import type { Revisions, Stores } from "../../src/stores.ts";
import { useTemporaryFolder } from "./folder.ts";

/** Two processes, as far as the database can tell. */
const folder = useTemporaryFolder();
let one: Stores;
let two: Stores;
beforeEach(async () => {
  one = await folder.open();
  two = await folder.open();
});

const wanted = { environment: "production", scopes: "all", expiresAtMs: undefined } as const;
const rounds = 60;

/** Looks all the time, so that there is always a look that is very new. */
async function whileLooking<T>(work: Promise<T>): Promise<T> {
  let done = false;
  const look = () => {
    two.revisions();
    if (!done) setImmediate(look);
  };
  look();
  try {
    return await work;
  } finally {
    done = true;
  }
}

async function isSeenAtOnce(
  kind: keyof Revisions,
  change: (round: number) => Promise<unknown>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const before = two.revisions()[kind];
    await whileLooking(change(round));
    expect([round, two.revisions()[kind] === before]).toEqual([round, false]);
  }
}

test("whoever hears that a key is revoked finds no process that does not know", async () => {
  const keys = Array.from({ length: rounds }, () =>
    mintKey({ ...wanted, name: "short-lived" }, systemClock),
  );
  for (const { key } of keys) await one.keys.add(key);
  await isSeenAtOnce("keys", (round) => one.keys.revoke(keys[round]?.key.id ?? "", 1));
});

test("nor one that does not know that a key has a successor", async () => {
  const newKey = () => mintKey({ ...wanted, name: "rotated" }, systemClock).key;
  const keys = Array.from({ length: rounds }, newKey);
  for (const key of keys) await one.keys.add(key);
  await isSeenAtOnce("keys", (round) => one.keys.rotate(keys[round]?.id ?? "", 1, newKey()));
});

test("nor one that does not know of an order that was placed", async () => {
  const pet = { name: "Prey", categoryId: 1n, status: "available" } as const;
  for (let round = 0; round < rounds; round++) await one.catalogue.add(pet);
  await isSeenAtOnce("pets", (round) =>
    one.orders.place({ petId: BigInt(round + 1), quantity: 1 }, 1),
  );
});

test("nor of one that was delivered", async () => {
  const pet = { name: "Prey", categoryId: 1n, status: "available" } as const;
  for (let id = 1n; id <= BigInt(rounds); id++) {
    await one.catalogue.add(pet);
    await one.orders.place({ petId: id, quantity: 1 }, 1);
    await one.orders.move(id, "approve");
  }
  await isSeenAtOnce("pets", (round) => one.orders.move(BigInt(round + 1), "deliver"));
});

test("nor of a pet that was imported", async () => {
  await isSeenAtOnce("pets", (round) =>
    one.catalogue.import([
      { id: BigInt(rounds - round), name: "Old", categoryId: 1n, status: "sold" },
    ]),
  );
});

test("a pet that is added moves nothing that is remembered", async () => {
  const before = two.revisions();
  await one.catalogue.add({ name: "New", categoryId: 1n, status: "available" });
  await new Promise((later) => setTimeout(later, 5));
  expect(two.revisions()).toEqual(before);
});

test("a pet that is changed behind our back is noticed", async () => {
  const pet = { name: "Prey", categoryId: 1n, status: "available" } as const;
  await one.catalogue.add(pet);
  await one.catalogue.add(pet);
  const { pets } = two.revisions();
  const stranger = new DatabaseSync(folder.path("petstore.db"));
  try {
    stranger.exec("UPDATE pets SET status = 'sold' WHERE id = 1");
    await new Promise((later) => setTimeout(later, 5));
    const changed = two.revisions().pets;
    expect(changed).not.toBe(pets);
    stranger.exec("DELETE FROM pets WHERE id = 2");
    await new Promise((later) => setTimeout(later, 5));
    expect(two.revisions().pets).not.toBe(changed);
  } finally {
    stranger.close();
  }
});
