/** The forms and settings in .github/ that GitHub reads besides the workflows. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("dependabot watches every lock file, the actions and the image", () => {
  const { updates } = parse(read(".github/dependabot.yml")) as {
    updates: { "package-ecosystem": string; directory?: string; directories?: string[] }[];
  };
  const watched = updates.flatMap((update) =>
    (update.directories ?? [update.directory]).map((at) => `${update["package-ecosystem"]} ${at}`),
  );
  expect(watched).toEqual(["npm /", "npm /bench/peers", "github-actions /", "docker /deploy"]);
  expect(existsSync(join(root, "bench/peers/package-lock.json"))).toBe(true);
  expect(existsSync(join(root, "deploy/Dockerfile"))).toBe(true);
});

test("who reports a bug is led to the private way for a weakness", () => {
  expect(read(".github/ISSUE_TEMPLATE/bug.yml")).toContain("(../security/policy)");
  expect(parse(read(".github/ISSUE_TEMPLATE/config.yml")).blank_issues_enabled).toBe(false);
});
