import { describe, expect, test } from "bun:test";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import { retentionMs } from "../../src/petstore/idempotency/idempotency.ts";
import type { CommitReport } from "../../src/storage/stores.ts";
import { eventually } from "../../testkit/eventually.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { doneOf } from "./outcomes.ts";
import { rejectionOf } from "./rejection.ts";

const database = usePostgres();
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;
const idOf = (text: string) => BigInt(/\d+/.exec(text)?.[0] ?? "none");

describe("writing to PostgreSQL", () => {
  test("a pet is never seen before one with a smaller id, by whichever process it was added", async () => {
    const writers = [await database.open(), await database.open(), await database.open()];
    const reader = await database.open();
    let adding = true;
    const work = writers.flatMap(({ catalogue }) =>
      Array.from({ length: 6 }, async (_, place) => {
        for (let count = 0; count < 60; count++) {
          // Of both kinds: those that are one statement, and those that are a transaction.
          const idempotencyKey = `${place} ${count} ${Math.random()}`;
          const idempotency = { keyId: "k", idempotencyKey, fingerprint: "f", nowMs: 1 };
          await catalogue.add(bella, place % 2 === 0 ? {} : { idempotency });
        }
      }),
    );
    const walked: bigint[] = [];
    const walking = (async () => {
      for (let last = false; !last; ) {
        last = !adding;
        const { pets } = await reader.catalogue.list({ after: walked.at(-1), limit: 1_000 });
        walked.push(...pets.map(idOf));
      }
    })();
    await Promise.all(work);
    adding = false;
    await walking;
    expect(walked).toEqual(Array.from({ length: 3 * 6 * 60 }, (_, index) => BigInt(index + 1)));
  });

  test("what is added at once shares few commits", async () => {
    const commits: CommitReport[] = [];
    const { catalogue } = await database.open({}, { onCommit: (report) => commits.push(report) });
    await Promise.all(Array.from({ length: 2_500 }, () => catalogue.add(bella)));
    expect(commits.reduce((sum, { writes }) => sum + writes, 0)).toBe(2_500);
    expect(commits.length).toBeLessThanOrEqual(4);
  });

  test("past 10,000 waiting writes the next is refused at once", async () => {
    const { catalogue } = await database.open();
    const adding = Array.from({ length: 10_001 }, () =>
      catalogue.add(bella).catch((cause) => cause),
    );
    expect(await adding.at(-1)).toMatchObject({ code: "store_unavailable" });
    expect(await adding[9_999]).toMatchObject({ kind: "done" });
  });

  test("a pet that PostgreSQL cannot hold fails alone", async () => {
    const { catalogue } = await database.open();
    const adding = ["a", "b\0c", "d"].map((name) => catalogue.add({ ...bella, name }));
    const failure = await rejectionOf(adding[1] as Promise<unknown>);
    expect((failure as { code?: string }).code).not.toBe("store_unavailable");
    expect(await adding[0]).toMatchObject({ kind: "done" });
    expect(await adding[2]).toMatchObject({ kind: "done" });
    expect((await catalogue.list({ limit: 10 })).pets).toHaveLength(2);
  });

  test("text that looks like an array, a null or a statement is only text", async () => {
    const { catalogue } = await database.open();
    const names = [
      "NULL",
      "null",
      "{}",
      '{"a","b"}',
      "{a,b}",
      '"',
      '\\"',
      "\\",
      "\\\\",
      ",",
      "$1",
    ].concat([" x ", "'", "''; DROP TABLE pets; --", "E'\\n'", "{", "}", "\u0001", "\ufffe", "🐕"]);
    const added = await Promise.all(names.map((name) => catalogue.add({ ...bella, name })));
    for (const [index, outcome] of added.entries()) {
      const { id, text } = doneOf(outcome);
      expect(JSON.parse(text).name).toBe(names[index]);
      expect(await catalogue.get(id)).toBe(text);
    }
    const columns = await database.server.query(
      "SELECT name, json FROM pets ORDER BY id",
      database.address,
    );
    expect(columns.map((row) => (row as { name: string }).name)).toEqual(names);
  });

  test("columns hold the extremes of int64 as they are", async () => {
    const { catalogue } = await database.open();
    for (const categoryId of [int64Min, int64Max]) await catalogue.add({ ...bella, categoryId });
    const columns = await database.server.query(
      "SELECT category_id::text AS category FROM pets ORDER BY id",
      database.address,
    );
    expect(columns).toEqual([
      { category: "-9223372036854775808" },
      { category: "9223372036854775807" },
    ]);
  });

  test("expired idempotency keys are pruned as new ones are kept, and no others", async () => {
    const { catalogue } = await database.open();
    const keep = (idempotencyKey: string, nowMs: number) =>
      catalogue.add(bella, {
        idempotency: { keyId: "k", idempotencyKey, fingerprint: "f", nowMs },
      });
    const many = (name: string, count: number, nowMs: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => keep(`${name} ${index}`, nowMs)));
    await many("old", 90, 1);
    await many("young", 90, 2);
    // 25 times 4 are as many as are old, and a few more.
    await many("new", 25, 1 + retentionMs);
    const left = await eventually(async () => {
      const text = 'SELECT idempotency_key AS "idempotencyKey" FROM idempotency_keys';
      const rows = (await database.server.query(text, database.address)) as {
        idempotencyKey: string;
      }[];
      return rows.every(({ idempotencyKey }) => !idempotencyKey.startsWith("old")) && rows;
    });
    expect(left).toHaveLength(90 + 25);
    expect((await keep("young 89", 1 + retentionMs)).kind).toBe("replayed");
  });

  test("statements that the server keeps under a name do the same", async () => {
    const { catalogue, orders } = await database.open({ namedStatements: true });
    for (let count = 0; count < 12; count++) {
      const { id } = doneOf(await catalogue.add(bella));
      doneOf(await orders.place({ petId: id, quantity: 1 }, 0));
      expect(await catalogue.get(id)).toContain('"status":"pending"');
      expect((await catalogue.list({ status: "pending", limit: 50 })).pets).toHaveLength(count + 1);
    }
  });

  test("a database that is told to be strict about isolation does the same", async () => {
    const address = await database.server.database("strict");
    await database.server.query(
      "ALTER DATABASE strict SET default_transaction_isolation = 'serializable'",
    );
    const [one, two] = [await database.open({ address }), await database.open({ address })];
    const added = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 === 0 ? one : two).catalogue.add(bella, {
          idempotency: { keyId: "k", idempotencyKey: String(index), fingerprint: "f", nowMs: 1 },
        }),
      ),
    );
    expect(new Set(added.map((outcome) => doneOf(outcome).id)).size).toBe(200);
    await Promise.all([one.close(), two.close()]);
    // Nobody had to begin again, as they would if they were all to see one instant.
    expect(database.server.logged()).not.toContain("could not serialize access");
  });
});
