import { expect, test } from "bun:test";
import { allOperations } from "../../src/contract/operations.ts";
import { sunsetEvent, sunsetsOf } from "../../src/petstore/keys/sunsets.ts";

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

test("the event names the operation's own successor", () => {
  const operations = ["getPet", "listPets"].map((operation) => {
    return { operation, sunsetAtMs: sunsetAtMs, successor: `${operation}ById` };
  });
  const call = { keyId: "key_1", keyName: "shop", operation: "listPets", lastCallAtMs: 0 };
  expect(sunsetEvent(call, operations)).toMatchObject({
    type: "operation.sunset_approaching",
    resource: "keys/key_1",
  });
  expect(JSON.parse(sunsetEvent(call, operations).data)).toMatchObject({
    keyId: "key_1",
    keyName: "shop",
    operation: "listPets",
    successor: "listPetsById",
    lastCallAt: "1970-01-01T00:00:00.000Z",
  });
});
