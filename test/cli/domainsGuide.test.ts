/** The guide to domains says what the program does. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { commands } from "../../src/cli/commands.ts";
import { statuses } from "../../src/domains/domain.ts";
import { findingCodes } from "../../src/domains/finding.ts";
import { base } from "../../src/http/internal/base.ts";
import { domainPlaces } from "../../src/http/internal/domains.ts";

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const guide = text("docs/guide/domains.md");
/** The first cell of each row that begins with a code like this. */
const firstCells = (form: RegExp) =>
  [...guide.matchAll(/^\| `([^`]+)` /gm)]
    .map(([, cell = ""]) => cell)
    .filter((cell) => form.test(cell));

describe("the guide to domains", () => {
  test("has every finding and every status, and no other", () => {
    const settings = /^PETSTORE_/;
    const codes = firstCells(/^[A-Z_]+$/).filter((cell) => !settings.test(cell));
    expect(codes.sort()).toEqual([...findingCodes].sort());
    expect(firstCells(/^[a-z_]+$/).sort()).toEqual([...statuses].sort());
  });

  test("has every setting of domains, and no other", () => {
    const named = [...text("src/domainsConfig.ts").matchAll(/setting\(\s*"(\w+)"/g)].map(
      ([, name = ""]) => name,
    );
    expect(firstCells(/^PETSTORE_/).sort()).toEqual([...named, "PETSTORE_ROLES"].sort());
  });

  test("has every request of the internal API, and no other", () => {
    const places = domainPlaces({} as Parameters<typeof domainPlaces>[0]);
    const requests = Object.entries(places).flatMap(([path, handlers]) =>
      Object.keys(handlers).map((method) => `${method} ${path.replace("{project}", "{slug}")}`),
    );
    expect(guide).toContain(base);
    expect(firstCells(/^[A-Z]+ \//).sort()).toEqual(requests.sort());
  });

  test("says of a removal and a redirect what the help says", async () => {
    const about = commands.find(({ name }) => name === "domains remove")?.about ?? "";
    const words = "once removed, it answers nothing, also no redirect";
    for (const said of [about, guide]) expect(said.replace(/\s+/g, " ")).toContain(words);
    expect(about).toContain("keep it attached");
  });

  test("names every command of domains and tokens, and only commands that there are", () => {
    const names = commands.map(({ name }) => name);
    const typed = [...guide.matchAll(/^petstore (\w+ [\w-]+)/gm)].map(([, name = ""]) => name);
    expect(typed.filter((name) => !names.includes(name))).toEqual([]);
    const ours = names.filter((name) => /^domains |^owners .*token/.test(name));
    expect(ours.filter((name) => !typed.includes(name))).toEqual([]);
  });
});
