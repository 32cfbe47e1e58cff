/** What docs/guide/sites.md says is what the program does. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { commands } from "../../src/cli/commands.ts";
import { staleAfterMs, transitions } from "../../src/hosting/sites/deployment.ts";
import { projectsPerOwnerMax, slugLengthMax } from "../../src/hosting/sites/site.ts";
import {
  fileBytesMax,
  pathLengthMax,
  siteBytesMax,
  siteFilesMax,
} from "../../src/hosting/sites/siteFile.ts";
import {
  headerLengthMax,
  headerRulesMax,
  headersBytesMax,
  parseRules,
  redirectLengthMax,
  redirectPatternsMax,
  redirectsBytesMax,
  redirectsMax,
} from "../../src/hosting/sites/siteRules.ts";

const guide = readFileSync(new URL("../../docs/guide/sites.md", import.meta.url), "utf8");

test("the limits of the guide are those of the program", () => {
  const rows = Object.fromEntries(
    [...guide.matchAll(/^\| ([\w ]+?) +\| ([\d,]+(?: \w+)?) +\|$/gm)].map(([, what, value]) => [
      what,
      value,
    ]),
  );
  expect(rows).toEqual({
    "Files of a site": siteFilesMax.toLocaleString("en"),
    "One file": `${fileBytesMax / 1024 ** 2} MiB`,
    "The whole site": `${siteBytesMax / 1024 ** 2} MiB`,
    "A path": `${pathLengthMax} characters`,
  });
  expect(guide.replace(/\s+/g, " ")).toContain(`at most ${slugLengthMax} characters`);
  expect(guide.replace(/\s+/g, " ")).toContain(
    `An owner can have ${projectsPerOwnerMax} projects.`,
  );
  expect(staleAfterMs).toBe(10 * 60_000);
  expect(guide).toContain("After ten minutes of silence");
  for (const state of Object.keys(transitions)) expect(guide).toContain(`\`${state}\``);
});

test("the guide names no command that is none, and every one of the sites", () => {
  const typed = [...guide.matchAll(/petstore ((?:owners|sites|docs) [a-z]+)/g)].map(
    ([, name = ""]) => name,
  );
  const names = commands.map(({ name }) => name);
  expect(typed.filter((name) => !names.includes(name))).toEqual([]);
  for (const name of ["create", "deploy", "deployments", "rollback", "unpublish"]) {
    expect(typed).toContain(`sites ${name}`);
  }
});

describe("the guide on redirects and headers", () => {
  const rules = readFileSync(new URL("../../docs/guide/site-rules.md", import.meta.url), "utf8");

  test("has the limits of the program", () => {
    const limits = [...rules.matchAll(/^\| ([^|]+?) +\| ([\d,]+)(?: \w+)? +\|$/gm)].map(
      ([, what, value = ""]) => [what, Number(value.replace(",", ""))],
    );
    expect(Object.fromEntries(limits)).toEqual({
      "The file `_redirects`": redirectsBytesMax / 1024,
      "The file `_headers`": headersBytesMax / 1024,
      "Rules in `_redirects`": redirectsMax,
      "Those with `*` or `:name`": redirectPatternsMax,
      "A line of `_redirects`": redirectLengthMax,
      "Paths in `_headers`": headerRulesMax,
      "A line of `_headers`": headerLengthMax,
    });
  });

  test("has examples that are valid, and an error that is the program's", () => {
    const [error = "", redirects = "", headers = "", ...others] = [
      ...rules.matchAll(/^```\n([\s\S]*?)^```$/gm),
    ].map(([, text = ""]) => text);
    expect(others).toEqual([]);
    expect(redirects).toContain("404!");
    expect(headers).toContain("! X-Frame-Options");
    expect(parseRules({ redirects, headers }).errors).toEqual([]);
    const [told = ""] = parseRules({ redirects: "# 1\n# 2\n/old" }).errors;
    expect(error).toStartWith(`petstore: ${told} The deployment failed`);
  });

  test("names every header that a site cannot change", () => {
    const [, table = ""] = rules.split("A site cannot set or remove:");
    const [rows = ""] = table.split("\n## ");
    const names = [...rows.matchAll(/^\|(.+?)\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
    );
    expect(names.length).toBeGreaterThan(25);
    for (const name of names) {
      const field = name.replace("*", "X");
      const { errors } = parseRules({ headers: `/*\n  ${field}: x` });
      expect([field, errors[0]?.includes(`A site cannot change ${field}.`)]).toEqual([field, true]);
    }
  });
});
