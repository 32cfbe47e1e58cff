/** Holds docs/security.md to the code and the tests that it speaks of. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { documentedIn, type Manifest } from "../../scripts/audit/dependencies.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");
const page = read("docs/security.md");

/** What a link of the page leads to, from the root of the project. */
const target = (href: string) => new URL(href, new URL("docs/security.md", root));

interface Cited {
  readonly file: URL;
  /** The names in quotation marks that follow the link. */
  readonly names: readonly string[];
}

const cited: readonly Cited[] = [
  ...page.matchAll(/\]\((\.\.\/test\/[^)]+)\)((?:,?\s+(?:and\s+)?"[^"]+")*)/g),
].map(([, href = "", names = ""]) => ({
  file: target(href),
  names: [...names.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name.replace(/\s+/g, " ")),
}));

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");
const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);

/** The text below a heading, up to the next one of the same depth or above. */
function below(heading: string): string {
  const lines = page.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`### ${heading}:`));
  if (start === -1) return "";
  const length = lines.slice(start + 1).findIndex((line) => /^#{1,3} /.test(line));
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join("\n");
}

describe("the security review", () => {
  test("every file that is cited is there", () => {
    const links = [...page.matchAll(/\]\(([^)#\s]+)\)/g)].map(([, href = ""]) => href);
    expect(links.length).toBeGreaterThan(100);
    const gone = links.filter((href) => {
      const at = target(href);
      return !existsSync(at) || !statSync(at).isFile();
    });
    expect(gone).toEqual([]);
  });

  test("every test that is cited is in its file", () => {
    expect(cited.flatMap(({ names }) => names).length).toBeGreaterThan(80);
    const strange = cited.flatMap(({ file, names }) => {
      const text = readFileSync(file, "utf8");
      const isThere = (name: string) => text.includes(`"${name}"`) || text.includes(`\`${name}\``);
      return names.filter((name) => !isThere(name)).map((name) => `${file.pathname}: ${name}`);
    });
    expect(strange).toEqual([]);
  });

  test("no name in quotation marks stands without the file that it is in", () => {
    const names = page.match(/"[^"\n]+"/g) ?? [];
    expect(names.length).toBe(cited.flatMap((each) => each.names).length);
  });

  test("every place on the page that is linked to is there", () => {
    const anchors = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = ""]) => anchor);
    const known = headings.map(slug);
    expect(anchors.filter((anchor) => !known.includes(anchor))).toEqual([]);
  });

  test.each(Array.from({ length: 10 }, (_, index) => `API${index + 1}`))(
    "%s is answered by code and by a test",
    (point) => {
      const text = below(point);
      for (const part of ["**Threat.**", "**Mitigation.**", "**Tests.**"])
        expect(text).toContain(part);
      expect(text).toContain("](../src/");
      expect(text).toMatch(/\]\(\.\.\/test\/[^)]+\)\s+"/);
    },
  );

  test.each(Array.from({ length: 17 }, (_, index) => `V${index + 1}`))(
    "%s is answered by code and by a test, refers to what is, or does not apply",
    (chapter) => {
      const text = below(chapter);
      const answered = text.includes("](../src/") && /\]\(\.\.\/test\/[^)]+\)\s+"/.test(text);
      expect(answered || text.includes("Does not apply")).toBe(true);
    },
  );

  test("gives a reason for every dependency, and for no other package", () => {
    const manifest = JSON.parse(read("package.json")) as Manifest;
    expect([...documentedIn(page)].sort()).toEqual(Object.keys(manifest.dependencies ?? {}).sort());
  });

  test("is found from the readme, and leads to how a weakness is reported", () => {
    const readme = read("README.md");
    expect(readme).toContain("](docs/security.md)");
    expect(readme).toContain("](SECURITY.md)");
    expect(page).toContain("](../SECURITY.md)");
    expect(read("SECURITY.md")).toContain("](docs/security.md)");
  });
});
