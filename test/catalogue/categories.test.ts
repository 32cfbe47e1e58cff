import { describe, expect, test } from "bun:test";
import { int64Max } from "../../src/contract/int64.ts";
import {
  type Category,
  decideAddition,
  decideRemoval,
  decideRenaming,
} from "../../src/petstore/catalogue/categories.ts";

const dogs = { id: 1n, name: "Dogs" };
const cats = { id: 2n, name: "Cats" };

describe("a category", () => {
  test("is added with the id it comes with, or the one after the largest", () => {
    expect(decideAddition({ name: 'A "B"', id: -5n }, [], 7n)).toEqual({
      kind: "done",
      id: -5n,
      text: String.raw`{"id":-5,"name":"A \"B\""}`,
    });
    for (const [lastId, id] of [
      [undefined, 1n],
      [7n, 8n],
      [-7n, -6n],
      [0n, 1n],
      [int64Max - 1n, int64Max],
    ] as const) {
      expect(decideAddition({ name: "Dogs", id: undefined }, [], lastId)).toMatchObject({ id });
    }
  });

  test("is not added past the largest id, unless it comes with one", () => {
    expect(decideAddition({ name: "Dogs", id: undefined }, [], int64Max)).toEqual({
      kind: "no_id_left",
    });
    expect(decideAddition({ name: "Dogs", id: 1n }, [], int64Max)).toMatchObject({ id: 1n });
  });

  test("is not added where its id or name is taken, and of both its id is named", () => {
    const taken = (by: Category) => ({ kind: "taken", by }) as const;
    expect(decideAddition({ name: "Dogs", id: undefined }, [dogs], 2n)).toEqual(taken(dogs));
    expect(decideAddition({ name: "Dogs", id: 2n }, [dogs, cats], 2n)).toEqual(taken(cats));
    expect(decideAddition({ name: "Dogs", id: 3n }, [dogs], 2n)).toEqual(taken(dogs));
  });

  test("is renamed where it is there and nobody else has the name", () => {
    expect(decideRenaming({ id: 1n, name: "Hounds" }, [dogs])).toEqual({
      kind: "done",
      id: 1n,
      text: '{"id":1,"name":"Hounds"}',
    });
    expect(decideRenaming({ id: 1n, name: "Cats" }, [dogs, cats])).toEqual({
      kind: "taken",
      by: cats,
    });
    for (const held of [[], [cats]]) {
      expect(decideRenaming({ id: 1n, name: "Cats" }, held)).toEqual({ kind: "no_such_category" });
    }
  });

  test("is removed where it is there and no pet has it", () => {
    expect(decideRemoval(dogs, true, undefined)).toEqual({ kind: "done", id: 1n, text: "" });
    expect(decideRemoval(dogs, true, 9n)).toEqual({ kind: "in_use", petId: 9n });
    expect(decideRemoval(dogs, false, 9n)).toEqual({ kind: "no_such_category" });
  });
});
