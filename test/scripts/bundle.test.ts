/** How the client's modules become one, and what they must be for that. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleModules } from "../../scripts/client/bundle.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-bundle-"));
afterAll(() => rmSync(folder, { recursive: true }));

function bundled(part: string, entry: string) {
  writeFileSync(join(folder, "part.ts"), part);
  writeFileSync(join(folder, "entry.ts"), entry);
  return bundleModules(folder, join(folder, "entry.ts"), "example:///");
}

describe("a bundle", () => {
  const { code, exported, map } = bundled(
    `/** Why. */
export interface Size {
  readonly px: number;
}

// Each line of these is a hazard: a comment within, a type in between, a regular expression.
export function sized<T>(value: T, /* px */ px: number): Size & { value: T } {
  const quotes = /["'\`/]/; // not a string
  return { px, value } as Size & { value: T };
}
`,
    `import { type Size, sized } from "./part.ts";
export type { Size } from "./part.ts";

export class Shape {
  readonly size: Size;
  constructor(px: number) {
    this.size = sized(\`// \${px}
  kept\`, px);
  }
}
`,
  );

  test("has the lines of its modules without types and comments", () => {
    expect(exported).toEqual(["Shape"]);
    expect(code).toBe(`// part.ts
function sized(value, px) {
  const quotes = /["'\`/]/;
  return { px, value };
}
// entry.ts
class Shape {
  size;
  constructor(px) {
    this.size = sized(\`// \${px}
  kept\`, px);
  }
}
`);
  });

  test("has a map that leads from each line to the same line of the source", () => {
    const { sources, sourcesContent, mappings } = JSON.parse(map);
    expect(sources).toEqual(["example:///part.ts", "example:///entry.ts"]);
    expect(mappings).toBe(";AAMA;AACA;AACA;AACA;;ACNA;AACA;AACA;AACA;AACA;AACA;AACA");
    expect(sourcesContent[0].split("\n")[6]).toBe("export function sized(value, px) {");
    expect(sourcesContent[1].split("\n")[3]).toBe("export class Shape {");
  });
});

test("a literal keeps its empty lines", () => {
  const entry = `export const text = \`one

  ;
\${1 +

  1}

two\`;
`;
  const { code } = bundled("export const zero = 0;\n", entry);
  expect(new Function(`${code} return text;`)()).toBe("one\n\n  ;\n2\n\ntwo");
});

test.each([
  [
    "the same name in two modules",
    "export const one = 1;\nconst two = 2;",
    "const two = 3;",
    "two",
  ],
  ["the name of a global", "export const one = 1;\nconst fetch = 2;", "", "global"],
  ["TypeScript that is not only types", "export enum one { two }", "", "more to erase"],
])("%s is refused", (_what, part, more, refusal) => {
  const entry = `import { one } from "./part.ts";\n${more}\nexport const three = one;`;
  expect(() => bundled(part, entry)).toThrow(refusal);
});

test("an import under another name is refused", () => {
  const entry = 'import { one as two } from "./part.ts";\nexport const three = two;';
  expect(() => bundled("export const one = 1;", entry)).toThrow("two");
});
