/** What docs/guide/sites.md says is what the program does. */
import { expect, test } from "bun:test";
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
