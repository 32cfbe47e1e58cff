import { expect, test } from "bun:test";
import { eventTypes } from "../../src/contract/operations.ts";
import { eventPatterns, matchingTypes, shopTypes } from "../../src/petstore/events/events.ts";

test("a pattern matches every type of its kind, and a type only itself", () => {
  expect(matchingTypes(["pet.*"])).toEqual(["pet.created", "pet.updated", "pet.deleted"]);
  expect(matchingTypes(["pet.created", "order.placed"])).toEqual(["pet.created", "order.placed"]);
  expect(matchingTypes(eventPatterns.filter((each) => each.endsWith("*")))).toEqual(eventTypes);
});

test("those that need no scope of their own are of pets and orders alone", () => {
  expect(shopTypes.every((type) => /^(?:pet|order)\./.test(type))).toBe(true);
  expect(shopTypes).toHaveLength(7);
});
