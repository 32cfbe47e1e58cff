/** The guide to operating lists every event that the HTTP layer logs, with its level. */
import { expect, test } from "bun:test";
import { globSync, readFileSync } from "node:fs";

const root = new URL("../../", import.meta.url).pathname;
const text = (path: string) => readFileSync(`${root}${path}`, "utf8");

const logged = globSync("src/http/**/*.ts", { cwd: root }).flatMap((file) =>
  [...text(file).matchAll(/\blog\.(info|warn|error)\("([^"]+)"/g)].map(
    ([, level, event]) => `${event} ${level}`,
  ),
);

test("the table of events is what is logged", () => {
  const rows = [...text("docs/guide/operating.md").matchAll(/^\| `([\w.]+)` +\| (\w+) +\|/gm)]
    .map(([, event, level]) => `${event} ${level}`)
    .filter((row) => /^(request|stream|landing|pages|metrics|account)\./.test(row));
  expect(rows.toSorted()).toEqual([...new Set(logged)].toSorted());
});

test("an event is a noun and what happened to it", () => {
  expect(logged.filter((event) => !/^[a-z]+\.[a-z]+(_[a-z]+)* /.test(event))).toEqual([]);
});
