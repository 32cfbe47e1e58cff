import { describe, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { int64Max } from "../../src/contract/int64.ts";
import { systemClock } from "../../src/core/clock.ts";
import { type IdempotentRequest, retentionMs } from "../../src/petstore/idempotency/idempotency.ts";
import { BatchRunner } from "../../src/storage/sqlite/batch.ts";
import { connect } from "../../src/storage/sqlite/connection.ts";
import { prunedAtOnceMax } from "../../src/storage/sqlite/petTransaction.ts";
import { useTemporaryFolder } from "./folder.ts";
import { idempotentSteps } from "./idempotentSteps.ts";
import { doneOf } from "./outcomes.ts";
import { rejectionOf } from "./rejection.ts";

const folder = useTemporaryFolder();
const database = () => folder.path("petstore.db");
const nowMs = Date.UTC(2026, 10, 15, 12);
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;
const under = (idempotencyKey: string, atMs: number): IdempotentRequest => ({
  keyId: "key_a",
  idempotencyKey,
  fingerprint: "f",
  nowMs: atMs,
});

function keysHeld(): number {
  const db = new DatabaseSync(database());
  const row = db.prepare("SELECT count(*) AS held FROM idempotency_keys").get();
  db.close();
  return Number(row?.["held"]);
}

describe("idempotency keys in SQLite", () => {
  test("that are 24 hours old make room for new ones, a few at a time", async () => {
    const { catalogue } = await folder.open();
    const addAt = (idempotencyKey: string, atMs: number) =>
      catalogue.add(bella, { idempotency: under(idempotencyKey, atMs) });
    const oldCount = 100;
    for (let index = 0; index < oldCount; index++) await addAt(`old ${index}`, nowMs + index);
    // One that is a millisecond too young stays.
    await addAt("young", nowMs + oldCount);
    expect(keysHeld()).toBe(oldCount + 1);

    const laterMs = nowMs + oldCount - 1 + retentionMs;
    for (let index = 1; index <= 10; index++) {
      await addAt(`new ${index}`, laterMs);
      expect(keysHeld()).toBe(oldCount + 1 - index * prunedAtOnceMax + index);
    }
    // The oldest go first.
    const db = new DatabaseSync(database());
    expect(db.prepare("SELECT min(created_at_ms) AS first FROM idempotency_keys").get()).toEqual({
      first: nowMs + 10 * prunedAtOnceMax,
    });
    db.close();
    for (let index = 11; index <= 40; index++) await addAt(`new ${index}`, laterMs);
    expect(keysHeld()).toBe(41);
    expect((await addAt("young", laterMs)).kind).toBe("replayed");
  });

  test("are neither stored nor pruned by a write that was not done or has none", async () => {
    const { catalogue, orders } = await folder.open();
    await catalogue.add(bella, { idempotency: under("old", nowMs) });
    const late = under("late", nowMs + retentionMs);
    await orders.place({ petId: 5n, quantity: 1 }, nowMs, late);
    await orders.move(5n, "approve", late);
    await catalogue.add(bella, { idempotency: late, knownCategoryOnly: true });
    await catalogue.add(bella);
    expect(keysHeld()).toBe(1);
  });

  test("what could not be done leaves none", async () => {
    const { catalogue } = await folder.open();
    const db = new DatabaseSync(database());
    db.exec(`UPDATE counters SET value = ${int64Max} WHERE name = 'last_pet_id'`);
    const attempt = catalogue.add(bella, { idempotency: under("a", nowMs) });
    expect((await rejectionOf(attempt)).message).toContain("used up");
    expect(keysHeld()).toBe(0);
    db.exec("UPDATE counters SET value = 0 WHERE name = 'last_pet_id'");
    db.close();
    doneOf(await catalogue.add(bella, { idempotency: under("a", nowMs) }));
  });

  test("a full disk keeps neither pets nor idempotency keys", async () => {
    await folder.open();
    const db = connect(database());
    db.exec("PRAGMA max_page_count = 40");
    const runner = new BatchRunner(db, systemClock);
    const pet = { ...bella, name: "x".repeat(200) };
    const batch = (count: number) => ({
      nowMs,
      names: Array(count).fill("addPetOnTerms"),
      arguments: Array.from({ length: count }, (_, index) => ({
        pet,
        terms: { idempotency: under(`${index}`, nowMs) },
      })),
    });
    expect((await runner.run(batch(500))).failures).toHaveLength(500);
    expect(keysHeld()).toBe(0);
    expect((await runner.run(batch(2))).results).toMatchObject([
      { kind: "done", id: 1n },
      { kind: "done", id: 2n },
    ]);
    expect(keysHeld()).toBe(2);
    db.close();
  });

  for (let deadly = 1; deadly <= 8; deadly++) {
    test(`a process killed before it heard of commit ${deadly} has done it, and only once`, async () => {
      const dying = Bun.spawn(
        [process.execPath, `${import.meta.dir}/dieUnheard.ts`, database(), `${deadly}`],
        { stdout: "pipe", stderr: "inherit" },
      );
      const output = await new Response(dying.stdout).text();
      await dying.exited;
      expect(dying.signalCode).toBe("SIGKILL");
      const heard = output.split("\n").slice(0, -1);
      expect(heard).toHaveLength(deadly - 1);

      const stores = await folder.open();
      const outcomes = await Array.fromAsync(idempotentSteps(stores));
      expect(outcomes.map(({ kind }) => kind)).toEqual(
        outcomes.map((_, index) => (index < deadly ? "replayed" : "done")),
      );
      for (const [index, line] of heard.entries()) {
        expect(line).toBe(`done ${outcomes[index]?.text}`);
      }
      expect((await stores.catalogue.list({ limit: 9 })).pets).toEqual([]);
      expect((await stores.orders.list({ limit: 9 })).orders).toEqual(
        [outcomes[3], outcomes[6]].map((outcome) => outcome?.text as string),
      );
      expect(outcomes[3]?.text).toContain('"status":"delivered"');
      expect(outcomes[6]?.text).toContain('"status":"cancelled"');
    });
  }
});

describe("orders in SQLite", () => {
  test("ids past what a double holds are exact", async () => {
    await (await folder.open()).close();
    const db = new DatabaseSync(database());
    db.exec("UPDATE counters SET value = 9007199254740992 WHERE name = 'last_order_id'");
    db.close();
    const { catalogue, orders } = await folder.open();
    await catalogue.add(bella);
    const order = { petId: 1n, quantity: 1 };
    const { id, text } = doneOf(await orders.place(order, nowMs, under("a", nowMs)));
    expect(id).toBe(9007199254740993n);
    expect(text).toStartWith('{"id":9007199254740993,');
    expect(await orders.place(order, nowMs, under("a", nowMs))).toMatchObject({ id, text });
    doneOf(await orders.move(id, "approve"));
    const { orders: listed, next } = await orders.list({ limit: 1, after: id - 1n });
    expect(listed).toEqual([(await orders.get(id)) as string]);
    expect(next).toBeUndefined();
  });

  test("a pet whose name has a NUL in it keeps all of it", async () => {
    const { catalogue, orders } = await folder.open();
    await catalogue.add({ ...bella, name: "a\u0000b" });
    doneOf(await orders.place({ petId: 1n, quantity: 1 }, nowMs));
    expect(await catalogue.get(1n)).toBe(
      String.raw`{"id":1,"name":"a\u0000b","categoryId":3,"status":"pending"}`,
    );
  });
});
