import { afterEach, beforeEach, expect, test } from "bun:test";
import { rounds } from "../testkit/rounds.ts";

const { PETSTORE_TEST_ROUNDS: before } = process.env;
const ask = (value: string | undefined) => {
  if (value === undefined) delete process.env["PETSTORE_TEST_ROUNDS"];
  else process.env["PETSTORE_TEST_ROUNDS"] = value;
};
beforeEach(() => ask(undefined));
afterEach(() => ask(before));

test("there are few rounds unless many are asked for", () => {
  expect(rounds(2, 30)).toBe(2);
  ask("many");
  expect(rounds(2, 30)).toBe(30);
  ask("some");
  expect(() => rounds(2, 30)).toThrow("must be few or many");
});
