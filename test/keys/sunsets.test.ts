import { expect, test } from "bun:test";
import { allOperations } from "../../src/contract/operations.ts";
import { sunsetsOf } from "../../src/petstore/keys/sunsets.ts";

const dayMs = 86_400_000;
const getPet = allOperations.find(({ id }) => id === "getPet");
const sunsetAtMs = getPet?.lifecycle?.sunsetAtMs ?? 0;

test("an operation is announced in the 90 days before it is removed", () => {
  const idsAt = (atMs: number) =>
    sunsetsOf(allOperations, atMs).approaching.map((each) => each.operation);
  expect(idsAt(sunsetAtMs - 90 * dayMs - 1)).toEqual([]);
  expect(idsAt(sunsetAtMs - 90 * dayMs)).toEqual(["getPet"]);
  expect(idsAt(sunsetAtMs - 1)).toEqual(["getPet"]);
  expect(idsAt(sunsetAtMs)).toEqual([]);
});

test("calls of the last seven days count, and what was recorded in the last thirty is not repeated", () => {
  const nowMs = Date.UTC(2030, 9, 10, 12);
  expect(sunsetsOf([], nowMs)).toEqual({
    approaching: [],
    sinceDay: "2030-10-03",
    recordedSinceMs: nowMs - 30 * dayMs,
    nowMs,
  });
});
