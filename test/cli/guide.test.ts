/** What the guide tells people to paste. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

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
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      typeRoots: [join(root, "node_modules/@types")],
      types: ["node"],
    });
    const complaints = ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => [
        file?.fileName.slice(folder.length + 1),
        ts.flattenDiagnosticMessageText(messageText, " "),
      ]);
    expect(complaints).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
