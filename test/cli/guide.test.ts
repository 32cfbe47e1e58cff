/** What the guide tells people to paste. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commands } from "../../src/cli/commands.ts";
import { typeCheckFiles } from "../../testkit/typeCheck.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = join(root, "docs/guide");

test("the TypeScript of the guide compiles under strict", () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-guide-"));
  try {
    // The examples of the client go on from one to the next, and are none by themselves.
    const pages = readdirSync(guide).filter((page) => page !== "client.md");
    const files = pages.flatMap((page) => {
      const text = readFileSync(join(guide, page), "utf8");
      return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""], place) => {
        const file = join(folder, `${page}.${place}.ts`);
        writeFileSync(file, `${code}\nexport {};\n`);
        return file;
      });
    });
    expect(files.length).toBeGreaterThan(1);
    const errors = typeCheckFiles(folder, files, {
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["esnext", "dom", "dom.iterable"],
      types: ["node"],
      skipLibCheck: true,
    });
    expect(errors).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe("the commands of the README and the guide", () => {
  const texts = [
    join(root, "README.md"),
    ...readdirSync(guide).map((page) => join(guide, page)),
  ].map((file) => readFileSync(file, "utf8"));

  test("are ones that there are", () => {
    const names = commands.map(({ name }) => name);
    const blocks = texts.flatMap((text) => text.match(/(?<=```sh\n)[\s\S]*?(?=```)/g) ?? []);
    const typed = blocks
      .flatMap((block) => [...block.matchAll(/(?:^|[/ (])petstore ([a-z]+)(?: ([a-z][a-z-]*))?/gm)])
      .map(([, first, second]) => [`${first} ${second}`, first ?? ""]);
    expect(typed.length).toBeGreaterThan(50);
    expect(typed.filter((either) => !either.some((name) => names.includes(name)))).toEqual([]);
  });

  test("are not run by the package that is named petstore in the npm registry", () => {
    const strange = /`npx petstore` would run that one|\b(?:npx|npm exec|bunx)\s+petstore\b/g;
    const found = texts.flatMap((text) => text.match(strange) ?? []);
    expect(found).toEqual(["`npx petstore` would run that one"]);
  });
});
