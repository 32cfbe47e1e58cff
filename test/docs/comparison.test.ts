/** The comparison with others claims nothing without a source. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

const repository = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/guide/comparison.md", repository), "utf8");

/** The cells of a section's first table, without its head and the names of its rows. */
function cellsOf(title: string): string[] {
  const section = page.split(`\n## ${title}\n`)[1] ?? "";
  const lines = section.split("\n");
  const start = lines.findIndex((line) => line.startsWith("| --- |"));
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start + 1, end).flatMap((line) => line.split(" | ").slice(1));
}

/** A link, or a file of this repository. */
function hasSource(cell: string): boolean {
  if (/\]\((?:https:\/\/[^)\s]+|[a-z-]+\.md[^)\s]*)\)/.test(cell)) return true;
  return [...cell.matchAll(/`([^`]+)`/g)].some(([, path = ""]) =>
    existsSync(new URL(path, repository)),
  );
}

describe.each([
  ["As an HTTP API", 100],
  ["As a host of custom domains", 60],
])("the table of %s", (title, least) => {
  const cells = cellsOf(title);

  test("has its cells", () => {
    expect(cells.length).toBeGreaterThan(least);
  });

  test("has a source in each cell, or says that there is none", () => {
    const unproven = cells.filter(
      (cell) => cell.replace(/ \|$/, "") !== "not documented" && !hasSource(cell),
    );
    expect(unproven).toEqual([]);
  });

  test("says of us only what a guide or a file says", () => {
    const columns = title === "As an HTTP API" ? 5 : 4;
    for (const ours of cells.filter((_, at) => at % columns === 0)) {
      expect(ours).not.toContain("https://");
      expect(ours).not.toContain("not documented");
    }
  });
});

test("the comparison says when it was read, and which command measured", () => {
  expect(page).toMatch(/^Read on \d+ \w+ 20\d\d:/m);
  expect(page).toContain("npm run bench -- --only");
});
