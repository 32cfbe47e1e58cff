import { describe, expect, spyOn, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { Problem } from "../../src/core/problems.ts";
import { PostgresCatalogue } from "../../src/storage/postgres/catalogue.ts";
import { Database } from "../../src/storage/postgres/database.ts";
import { ReadBatcher } from "../../src/storage/postgres/readBatcher.ts";
import { Writer } from "../../src/storage/postgres/writer.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { rejectionOf } from "./rejection.ts";

/** Answers with the number of the batch that a query went in, once the batch is let go. */
function heldBatches(batchMax = 200, of?: (query: number) => number) {
  const batches: { queries: readonly number[]; letGo(): void; fail(cause: Error): void }[] = [];
  const arrivals: (() => void)[] = [];
  const batcher = new ReadBatcher<number, number>(
    systemClock,
    { batchMax, ...(of === undefined ? {} : { of }) },
    (queries) =>
      new Promise((resolve, reject) => {
        const number = batches.length;
        batches.push({
          queries,
          letGo: () => resolve(queries.map(() => number)),
          fail: reject,
        });
        for (const arrived of arrivals.splice(0)) arrived();
      }),
  );
  const sent = async (count: number) => {
    while (batches.length < count) await new Promise<void>((resolve) => arrivals.push(resolve));
  };
  const ask = (queries: readonly number[]) => queries.map((each) => batcher.read(each));
  return { batches, sent, ask };
}

describe("batched reads", () => {
  test("in one turn leave together, and those that come meanwhile in the next batch", async () => {
    const { batches, sent, ask } = heldBatches();
    const first = ask([1, 2, 3]);
    await sent(1);
    const second = ask([4, 5]);
    batches[0]?.letGo();
    await sent(2);
    batches[1]?.letGo();
    // Nobody is answered by a batch that left before they asked.
    expect(await Promise.all([...first, ...second])).toEqual([0, 0, 0, 1, 1]);
    expect(batches.map(({ queries }) => queries)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  test("fail with their batch, and the next batch is none the worse", async () => {
    const { batches, sent, ask } = heldBatches();
    const [first] = ask([1]);
    await sent(1);
    const [second] = ask([2]);
    const failure = rejectionOf(first as Promise<number>);
    batches[0]?.fail(new Error("The connection was lost."));
    expect((await failure) as Error).toMatchObject({ message: "The connection was lost." });
    await sent(2);
    batches[1]?.letGo();
    expect(await second).toBe(1);
  });

  test("do not wait for a batch that is stuck", async () => {
    const { batches, sent, ask } = heldBatches();
    ask([1]);
    await sent(1);
    const [second] = ask([2]);
    await sent(2);
    batches[1]?.letGo();
    expect(await second).toBe(1);
  });

  test("do not wait for the batch before where they are enough for one of their own", async () => {
    const { batches, sent, ask } = heldBatches(2);
    ask([1, 2, 3, 4, 5, 6, 7]);
    await sent(3);
    expect(batches.map(({ queries }) => queries)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  test("are told apart by their size, and the largest goes alone", async () => {
    const { batches, sent, ask } = heldBatches(10, (query) => query);
    ask([4, 6, 1, 50, 2]);
    for (let count = 1; count <= 4; count++) {
      await sent(count);
      batches[count - 1]?.letGo();
    }
    expect(batches.map(({ queries }) => queries)).toEqual([[4, 6], [1], [50], [2]]);
  });

  test("are refused past a bound, and answered again when there is room", async () => {
    const { batches, sent, ask } = heldBatches(100_000);
    const asked = ask(Array.from({ length: 10_000 }, (_, index) => index));
    const [tooMany] = ask([0]);
    const refusal = (await rejectionOf(tooMany as Promise<number>)) as Problem;
    expect(refusal.code).toBe("store_unavailable");
    await sent(1);
    const [after] = ask([1]);
    batches[0]?.letGo();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([0]));
    await sent(2);
    batches[1]?.letGo();
    expect(await after).toBe(1);
  });
});

describe("lists that are asked for at once", () => {
  const postgres = usePostgres();

  for (const status of [undefined, "available"] as const) {
    test(`share a statement where they are of ids, ${status ?? "whatever their status"}`, async () => {
      const { catalogue } = await postgres.open();
      const pet = { name: "a", categoryId: 1n, status: "available" } as const;
      await catalogue.import([pet, { ...pet, status: "sold" }, pet, pet]);
      const database = new Database(postgres.settings(), systemClock);
      const read = spyOn(database, "read");
      const writer = new Writer(database);
      const several = new PostgresCatalogue(database, writer);
      const pages = await Promise.all(
        [1n, 2n, 3n].map((id) => several.list({ ids: [id, id + 1n], status, limit: 1 })),
      );
      expect(read).toHaveBeenCalledTimes(1);
      const first = status === undefined ? [1, 2, 3] : [1, 3, 3];
      expect(pages.map(({ pets: [text = ""] }) => JSON.parse(text).id)).toEqual(first);
      await database.close();
    });
  }

  test("are each what they are when asked for alone", async () => {
    const { catalogue, orders } = await postgres.open();
    const statuses = ["available", "pending", "sold"] as const;
    await catalogue.import(
      Array.from({ length: 300 }, (_, index) => ({
        id: BigInt(index * 3 + 1),
        // The texts of a page come as one: nothing in a name may cut it.
        name: `${index}\n,"\u2028\\n`,
        categoryId: BigInt(index) - 5n,
        status: statuses[(index * index) % 3] as (typeof statuses)[number],
      })),
    );
    const placed = await catalogue.list({ status: "available", limit: 50 });
    for (const pet of placed.pets) {
      await orders.place({ petId: BigInt(JSON.parse(pet).id), quantity: 1 }, 1);
    }
    const starts = [undefined, 1n, 450n, 896n, 898n, 10_000n];
    const petQueries = starts.flatMap((after) =>
      [undefined, ...statuses].flatMap((status) =>
        [1, 20, 100, 10_000].flatMap((limit) => [
          { after, status, limit },
          { after, status, limit, ids: [898n, 1n, 4n, 4n, 451n, 5n, -1n] },
        ]),
      ),
    );
    const orderQueries = starts.flatMap((after) =>
      [undefined, "placed" as const, "delivered" as const].map((status) => {
        return { after, status, limit: 20 };
      }),
    );
    const ask = [
      ...petQueries.map((query) => async () => catalogue.list(query)),
      ...orderQueries.map((query) => async () => orders.list(query)),
    ];
    const alone: Awaited<ReturnType<(typeof ask)[number]>>[] = [];
    for (const each of ask) alone.push(await each());
    expect(await Promise.all([...ask, ...ask].map((each) => each()))).toEqual([...alone, ...alone]);
    // By the rules and not only by one another.
    const all = (await catalogue.list({ limit: 10_000 })).pets.map((text) => JSON.parse(text));
    expect(all.map(({ id }) => id)).toEqual(
      Array.from({ length: 300 }, (_, index) => index * 3 + 1),
    );
    expect(all.map(({ name }) => name)).toEqual(all.map((_, index) => `${index}\n,"\u2028\\n`));
    const { pets, next } = await catalogue.list({ ids: [4n, 1n, 898n, 2n, 7n], limit: 2 });
    expect(pets.map((text) => JSON.parse(text).id)).toEqual([1, 4]);
    expect(next).toBe(4n);
    expect((await catalogue.list({ after: 1n, limit: 2 })).next).toBe(7n);
    expect((await catalogue.list({ after: 892n, limit: 2 })).next).toBeUndefined();
  });
});
