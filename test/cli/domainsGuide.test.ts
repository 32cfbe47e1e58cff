/** The guide to domains says what the program does. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { commands } from "../../src/cli/commands.ts";
import { statuses } from "../../src/hosting/domains/domain.ts";
import { findingCodes } from "../../src/hosting/domains/finding.ts";
import { platformPrefix } from "../../src/http/routes.ts";
import { platformDocument } from "../contract/judgePlatform.ts";

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const guide = text("docs/guide/domains.md");
/** The first cell of each row that begins with a code like this. */
const firstCells = (form: RegExp) =>
  [...guide.matchAll(/^\| `([^`]+)` /gm)]
    .map(([, cell = ""]) => cell)
    .filter((cell) => form.test(cell));

describe("the guide to domains", () => {
  test("has every finding and every status, and no other", () => {
    expect(firstCells(/^[A-Z_]+$/).sort()).toEqual([...findingCodes].sort());
    expect(firstCells(/^[a-z_]+$/).sort()).toEqual([...statuses].sort());
  });

  test("leaves its settings to the guide to operating, which has every one and no other", () => {
    const prefixes = ["PETSTORE_ACME", "PETSTORE_ACME_FALLBACK"];
    const code = text("src/config/domainsConfig.ts");
    const named = [...code.matchAll(/setting\(\s*["`](?:\$\{prefix\})?(\w+)["`]/g)].flatMap(
      ([, name = ""]) => (name.startsWith("_") ? prefixes.map((each) => each + name) : [name]),
    );
    const [, section = ""] = text("docs/guide/operating.md").split("\n### Custom domains\n");
    const [table = ""] = section.split("\n### ");
    const listed = [...table.matchAll(/^\| `(PETSTORE_\w+)` /gm)].map(([, name = ""]) => name);
    expect(listed.sort()).toEqual([...named, "PETSTORE_ROLES"].sort());
    expect(firstCells(/^PETSTORE_/)).toEqual([]);
    expect(guide).toContain("(operating.md#custom-domains)");
  });

  test("has every request of the internal API, and no other", () => {
    const requests = Object.entries(platformDocument.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags, operationId }]) =>
          [tags, operationId].flat().some((name) => name === "domains" || name === "listProjects"),
        )
        .map(([method]) => `${method.toUpperCase()} ${path.replace("{project}", "{slug}")}`),
    );
    expect(guide).toContain(platformPrefix);
    expect(firstCells(/^[A-Z]+ \//).sort()).toEqual(requests.sort());
  });

  test("says of a removal and a redirect what the help says", async () => {
    const about = commands.find(({ name }) => name === "domains remove")?.about ?? "";
    const words = "once removed, it serves nothing, not even a redirect";
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
