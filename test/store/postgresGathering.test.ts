import { describe, expect, test } from "bun:test";
import { Gathering } from "../../src/postgres/gathering.ts";
import type { Problem } from "../../src/problems.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { rejectionOf } from "./rejection.ts";

/** Answers with the number of the group that a question went in, once the group is let go. */
function heldGroups(groupMax = 200, of?: (question: number) => number) {
  const groups: { questions: readonly number[]; letGo(): void; fail(cause: Error): void }[] = [];
  const arrivals: (() => void)[] = [];
  const gathering = new Gathering<number, number>(
    { groupMax, ...(of === undefined ? {} : { of }) },
    (questions) =>
      new Promise((resolve, reject) => {
        const number = groups.length;
        groups.push({
          questions,
          letGo: () => resolve(questions.map(() => number)),
          fail: reject,
        });
        for (const arrived of arrivals.splice(0)) arrived();
      }),
  );
  const sent = async (count: number) => {
    while (groups.length < count) await new Promise<void>((resolve) => arrivals.push(resolve));
  };
  const ask = (questions: readonly number[]) => questions.map((each) => gathering.ask(each));
  return { groups, sent, ask };
}

describe("questions that are gathered", () => {
  test("in one turn leave together, and those that come meanwhile in the next group", async () => {
    const { groups, sent, ask } = heldGroups();
    const first = ask([1, 2, 3]);
    await sent(1);
    const second = ask([4, 5]);
    groups[0]?.letGo();
    await sent(2);
    groups[1]?.letGo();
    // Nobody is answered by a group that left before they asked.
    expect(await Promise.all([...first, ...second])).toEqual([0, 0, 0, 1, 1]);
    expect(groups.map(({ questions }) => questions)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  test("fail with their group, and the next group is none the worse", async () => {
    const { groups, sent, ask } = heldGroups();
    const [first] = ask([1]);
    await sent(1);
    const [second] = ask([2]);
    const failure = rejectionOf(first as Promise<number>);
    groups[0]?.fail(new Error("The connection was lost."));
    expect((await failure) as Error).toMatchObject({ message: "The connection was lost." });
    await sent(2);
    groups[1]?.letGo();
    expect(await second).toBe(1);
  });

  test("do not wait for a group that is stuck", async () => {
    const { groups, sent, ask } = heldGroups();
    ask([1]);
    await sent(1);
    const [second] = ask([2]);
    await sent(2);
    groups[1]?.letGo();
    expect(await second).toBe(1);
  });

  test("do not wait for the group before where they are enough for one of their own", async () => {
    const { groups, sent, ask } = heldGroups(2);
    ask([1, 2, 3, 4, 5, 6, 7]);
    await sent(3);
    expect(groups.map(({ questions }) => questions)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  test("are told apart by their size, and the largest goes alone", async () => {
    const { groups, sent, ask } = heldGroups(10, (question) => question);
    ask([4, 6, 1, 50, 2]);
    for (let count = 1; count <= 4; count++) {
      await sent(count);
      groups[count - 1]?.letGo();
    }
    expect(groups.map(({ questions }) => questions)).toEqual([[4, 6], [1], [50], [2]]);
  });

  test("are refused past a bound, and answered again when there is room", async () => {
    const { groups, sent, ask } = heldGroups(100_000);
    const asked = ask(Array.from({ length: 10_000 }, (_, index) => index));
    const [tooMany] = ask([0]);
    const refusal = (await rejectionOf(tooMany as Promise<number>)) as Problem;
    expect(refusal.code).toBe("store_unavailable");
    await sent(1);
    const [after] = ask([1]);
    groups[0]?.letGo();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([0]));
    await sent(2);
    groups[1]?.letGo();
    expect(await after).toBe(1);
  });
});

describe("lists that are asked for at once", () => {
  const postgres = usePostgres();

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
