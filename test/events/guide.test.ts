import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { eventTypes } from "../../src/contract/operations.ts";

test("the guide lists every type, in the order of the contract", () => {
  const guide = readFileSync(new URL("../../docs/guide/events.md", import.meta.url), "utf8");
  const rows = guide.split("\n").filter((line) => /^\| `[a-z]+\.[a-z_]+`/.test(line));
  const listed = rows.flatMap((row) => row.split("|")[1]?.match(/[a-z]+\.[a-z_]+/g) ?? []);
  expect(listed).toEqual(eventTypes);
});
