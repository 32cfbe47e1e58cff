import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import document from "../../src/contract/generated/document.json" with { type: "json" };
import { type PublicProblemCode, platformProblems, problems } from "../../src/core/problems.ts";

const codes = Object.keys(problems) as PublicProblemCode[];
const pages = new URL("../../docs/errors/", import.meta.url);

/** Every example of an Error that stands anywhere in the contract. */
function errorExamples(node: unknown): { code: string; status: number }[] {
  if (typeof node !== "object" || node === null) return [];
  const here = node as Record<string, unknown>;
  const found = Object.values(here).flatMap(errorExamples);
  const isExample = typeof here["code"] === "string" && typeof here["status"] === "number";
  return isExample ? [...found, here as { code: string; status: number }] : found;
}

describe("the registry of errors, the contract and the pages agree", () => {
  test("the contract lists exactly the codes of the registry", () => {
    expect([...document.components.schemas.ErrorCode.enum].sort()).toEqual([...codes].sort());
  });

  test("each code has a page and each page a code", () => {
    const named = readdirSync(pages)
      .filter((file) => file !== "README.md")
      .map((file) => file.replace(/\.md$/, ""));
    expect(named.sort()).toEqual([...codes].sort());
  });

  test("no code of the public API is one of the platform's too", () => {
    expect(codes.filter((code) => code in platformProblems)).toEqual([]);
  });

  for (const code of codes) {
    test(`the page of ${code} tells its status, what happened and what to do`, () => {
      const page = readFileSync(new URL(`${code}.md`, pages), "utf8");
      expect(page).toStartWith(`# ${code}\n`);
      expect(page).toContain(String(problems[code].status));
      for (const heading of ["## What happened", "## What to do"]) {
        const after = page.split(`${heading}\n`)[1] ?? "";
        const paragraph = after.split("\n## ")[0]?.trim() ?? "";
        expect([heading, paragraph.length > 20]).toEqual([heading, true]);
      }
    });

    test(`${code} is a lower snake_case word`, () => {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    });
  }

  test("every example of an error in the contract has the status of its code", () => {
    const examples = errorExamples(document);
    expect(examples.length).toBeGreaterThan(10);
    for (const { code, status } of examples) {
      expect([code, status]).toEqual([code, problems[code as PublicProblemCode].status]);
    }
  });

  test("the guide says for each status whether to retry", () => {
    const guide = readFileSync(new URL("../guide/errors.md", pages), "utf8");
    const rows = guide.match(/^\| \d{3}[\d, ]*(?=\|)/gm) ?? [];
    const told = rows.flatMap((row) => row.match(/\d{3}/g) ?? []);
    const statuses = new Set(codes.map((code) => String(problems[code].status)));
    expect(told.sort()).toEqual([...statuses].sort());
  });

  test("the index of the pages lists each code", () => {
    const index = readFileSync(new URL("README.md", pages), "utf8");
    for (const code of codes) expect(index).toContain(`(${code}.md)`);
  });
});
