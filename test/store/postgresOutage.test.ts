import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { systemClock } from "../../src/core/clock.ts";
import { Problem } from "../../src/core/problems.ts";
import type { AddOutcome } from "../../src/petstore/catalogue/catalogue.ts";
import { connectMsMaxDefault } from "../../src/storage/postgres/connection.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { eventually, onceBack } from "../../testkit/eventually.ts";
import { type PostgresServer, startPostgres } from "../../testkit/postgresServer.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { keyNamed } from "./keys.suite.ts";
import { doneOf } from "./outcomes.ts";
import { rejectionOf } from "./rejection.ts";

const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

const codeOf = (cause: unknown) => (cause instanceof Problem ? cause.code : String(cause));

/** Every way to ask something of the store. */
const questions: Readonly<Record<string, (stores: Stores) => Promise<unknown>>> = {
  "catalogue.get": async ({ catalogue }) => catalogue.get(1n),
  "catalogue.list": async ({ catalogue }) => catalogue.list({ limit: 1 }),
  "catalogue.add": async ({ catalogue }) => catalogue.add(bella),
  "catalogue.import": async ({ catalogue }) => catalogue.import([bella]),
  "categories.list": async ({ categories }) => categories.list({ limit: 1 }),
  "categories.add": async ({ categories }) => categories.add("Dogs"),
  "orders.get": async ({ orders }) => orders.get(1n),
  "orders.list": async ({ orders }) => orders.list({ limit: 1 }),
  "orders.place": async ({ orders }) => orders.place({ petId: 1n, quantity: 1 }, 0),
  "keys.findByHash": async ({ keys }) => keys.findByHash("hash of a"),
  "keys.list": async ({ keys }) => keys.list(),
  "keys.add": async ({ keys }) => keys.add(keyNamed("a")),
  "keys.prune": async ({ keys }) => keys.prune({ catalogueKeysExpiredAtMs: 0, usesBeforeDay: "" }),
  "keys.recordUses": async ({ keys }) =>
    keys.recordUses([{ keyId: "key_a", operation: "getPet", day: "x", count: 1, lastAtMs: 1 }]),
  ready: (stores) => stores.ready(),
  size: async (stores) => stores.size(),
};

describe("a server that goes away", () => {
  const database = usePostgres({ connectMsMax: connectMsMaxDefault });

  test("is store_unavailable to every question, and the store comes back by itself", async () => {
    const stores = await database.open();
    await stores.catalogue.add(bella);
    await database.server.stop("immediate");
    const asked = Object.entries(questions).map(async ([name, ask]) => [
      name,
      codeOf(await rejectionOf(ask(stores))),
    ]);
    expect(await Promise.all(asked)).toEqual(
      Object.keys(questions).map((name) => [name, "store_unavailable"]),
    );
    await database.server.start();
    await onceBack(() => stores.ready());
    for (const ask of Object.values(questions)) await ask(stores);
    expect(await stores.catalogue.get(1n)).toContain('"name":"Bella"');
  });

  test("that crashes among writes has every pet that was acknowledged, under ids of their own", async () => {
    const stores = await database.open();
    const acknowledged: bigint[] = [];
    const refused = new Set<string>();
    let crashing: Promise<void> | undefined;
    const adding = Array.from({ length: 16 }, async () => {
      while (refused.size === 0) {
        try {
          acknowledged.push(doneOf(await stores.catalogue.add(bella)).id);
        } catch (cause) {
          refused.add(codeOf(cause));
        }
        if (acknowledged.length > 500) crashing ??= database.server.stop("immediate");
      }
    });
    await Promise.all(adding);
    await crashing;
    expect([...refused]).toEqual(["store_unavailable"]);
    await database.server.start();
    const { pets } = await onceBack(async () => stores.catalogue.list({ limit: 10_000 }));
    const kept = new Set(pets.map((text) => BigInt(/\d+/.exec(text)?.[0] ?? "none")));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    const next = doneOf(await onceBack(() => stores.catalogue.add(bella))).id;
    expect(kept.has(next)).toBe(false);
  });

  test("a server that hangs up on every connection is not noticed by the next read", async () => {
    const stores = await database.open();
    const { id } = doneOf(await stores.catalogue.add(bella));
    for (let round = 0; round < 20; round++) {
      const reading = Promise.all(Array.from({ length: 5 }, () => stores.catalogue.get(id)));
      expect(await database.server.hangUp()).toBeGreaterThan(0);
      await reading;
      expect(await stores.catalogue.get(id)).toContain("Bella");
      expect((await stores.catalogue.list({ limit: 5 })).pets).toHaveLength(1);
      // The pool keeps an idle connection whose end it has not heard of, for a write to find.
      await onceBack(() => stores.ready());
    }
  });

  test("all connections being busy is store_unavailable, and passes", async () => {
    const stores = await database.open({ connectionsMax: 1 });
    const blocker = new pg.Client(database.address);
    blocker.on("error", () => {});
    await blocker.connect();
    await blocker.query("BEGIN; SELECT * FROM counters FOR UPDATE");
    const writing = rejectionOf(stores.catalogue.add(bella));
    await eventually(async () => {
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      return (await database.server.query(waiting)).length > 0;
    });
    const refusals = await Promise.all(
      Array.from({ length: 50 }, async () =>
        codeOf(await rejectionOf((async () => stores.catalogue.list({ limit: 1 }))())),
      ),
    );
    expect(new Set(refusals)).toEqual(new Set(["store_unavailable"]));
    // Nor does a write wait for its turn for ever.
    expect(codeOf(await writing)).toBe("store_unavailable");
    await blocker.query("ROLLBACK");
    await blocker.end();
    expect((await stores.catalogue.add(bella)).kind).toBe("done");
    expect((await stores.catalogue.list({ limit: 1 })).pets).toHaveLength(1);
  });

  test("a closed store refuses", async () => {
    const stores = await database.open();
    await stores.close();
    for (const ask of [
      questions["catalogue.add"],
      questions["catalogue.get"],
      questions["ready"],
    ]) {
      expect(codeOf(await rejectionOf((ask as (s: Stores) => Promise<unknown>)(stores)))).toBe(
        "store_unavailable",
      );
    }
  });
});

describe("several hosts", () => {
  let first: PostgresServer;
  let second: PostgresServer;
  beforeAll(async () => {
    first = await startPostgres();
    second = await first.standby();
  });
  afterAll(async () => {
    await first?.remove();
    await second?.remove();
  });

  test("the service keeps to the primary, and goes on at the standby that takes its place", async () => {
    // The standby is named first, so that asking is the only way to know.
    const hosts = `127.0.0.1:1,127.0.0.1:${second.port},127.0.0.1:${first.port}`;
    const address = `postgres://postgres@${hosts}/postgres`;
    const settings = { address, connectionsMax: 4, namedStatements: false };
    const stores = await openPostgres(settings, { environment: "production", clock: systemClock });
    try {
      const added: AddOutcome[] = [];
      for (let count = 0; count < 20; count++) added.push(await stores.catalogue.add(bella));
      const revision = stores.keys.revision();
      const petRevision = await stores.catalogue.revision();
      await first.stop("immediate");
      expect(codeOf(await rejectionOf(stores.catalogue.add(bella)))).toBe("store_unavailable");
      await second.promote();
      const { id } = doneOf(await onceBack(() => stores.catalogue.add(bella)));
      expect(id).toBeGreaterThan(20n);
      for (const outcome of added) {
        const { id, text } = doneOf(outcome);
        expect(await stores.catalogue.get(id)).toBe(text);
      }
      // Another server has a past of its own: what was remembered of the keys is not believed.
      const now = await eventually(() => {
        const number = stores.keys.revision();
        return Number.isNaN(number) ? undefined : number;
      });
      expect(now).not.toBe(revision);
      // Nor of the pets, though none was changed: it may lack some that were added.
      expect(await stores.catalogue.revision()).not.toBe(petRevision);
      expect(stores.revisions().pets).not.toBe(petRevision);
    } finally {
      await stores.close();
    }
  });
});
