/** Every decision record has a date and a status, and the index agrees with it. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../docs/decisions/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
const files = readdirSync(folder).filter((file) => file !== "README.md");
const index = read("README.md");

describe("a decision record", () => {
  test("has the number of its file, and no number is left out or given twice", () => {
    const numbers = files.map((file) => Number(file.slice(0, 4))).toSorted((a, b) => a - b);
    expect(numbers).toEqual(files.map((_, place) => place + 1));
  });

  test.each(files)("%s has a title, a date and a status, as the index says", (file) => {
    const [heading = "", facts = ""] = read(file).split("\n\n", 2);
    const [, number, title] = /^# (\d+)\. (.+)$/.exec(heading) ?? [];
    const [, date, status = ""] =
      /^Date: (\d{4}-\d\d-\d\d)\. Status: (.+)\.$/.exec(facts.replaceAll("\n", " ")) ?? [];
    expect(number).toBe(String(Number(file.slice(0, 4))));
    expect(status).toMatch(/^accepted$|^accepted; superseded in part by \[|^superseded by \[/);
    const newer = [...status.matchAll(/\[(\d+)\]\((\d{4}-[^)]+)\)/g)];
    for (const [, , link = ""] of newer) expect(files).toContain(link);
    const shown = status.startsWith("superseded by")
      ? `superseded by ${newer[0]?.[1]}`
      : newer.length > 0
        ? `superseded in part by ${newer.map(([, named]) => named).join(" and ")}`
        : "accepted";
    const row = index.split("\n").find((line) => line.includes(`](${file})`)) ?? "";
    const cells = row.split("|").map((cell) => cell.trim());
    expect(cells.slice(1, -1)).toEqual([`${number}`, `[${title}](${file})`, `${date}`, shown]);
  });

  test.each(files)("%s links only to files that exist", (file) => {
    for (const [, href = ""] of read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      expect(() => readFileSync(new URL(href, folder))).not.toThrow();
    }
  });
});
