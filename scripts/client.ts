// Writes the package `petstore-client` into dist/client/, for `npm pack ./dist/client`. Run by
// `npm run client`.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleModules } from "./client/bundle.ts";
import { rollDeclarations } from "./client/declarations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const entry = join(root, "src/client/client.ts");

/** Empties the folder first, so that nothing of an older build stays. */
export function buildClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "cjs"), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const { code, exported, map } = bundleModules(root, entry, "petstore-client:///");
  const names = exported.join(", ");
  // Both builds have the same code in the same lines, and so the same source map. That the files
  // have the same name lets npm put them side by side, where gzip stores the second one for nothing.
  write("client.js", `${code}export { ${names} };\n//# sourceMappingURL=client.js.map\n`);
  write(
    "cjs/client.js",
    `"use strict"; ${code}module.exports = { ${names} };\n//# sourceMappingURL=../client.js.map\n`,
  );
  write("client.js.map", map);
  // One set of types for both builds: a client made by one can be passed to code typed by the other.
  write("cjs/client.d.ts", rollDeclarations(root, entry));
  write("client.d.ts", 'export * from "./cjs/client.js";\n');
  write("package.json", `${JSON.stringify(manifest(), null, 2)}\n`);
  write("cjs/package.json", '{ "type": "commonjs" }\n');
  copyFileSync(join(root, "scripts/client/README.md"), join(folder, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

function manifest(): Readonly<Record<string, unknown>> {
  const { version, license, engines } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return {
    name: "petstore-client",
    version,
    description: "The typed client of the Pet Store API.",
    license,
    type: "module",
    sideEffects: false,
    engines,
    // For tools that do not read `exports`, such as TypeScript with moduleResolution node10.
    main: "./cjs/client.js",
    types: "./cjs/client.d.ts",
    exports: {
      ".": {
        import: { types: "./client.d.ts", default: "./client.js" },
        require: { types: "./cjs/client.d.ts", default: "./cjs/client.js" },
      },
      "./package.json": "./package.json",
    },
    files: ["cjs", "client.js", "client.js.map", "client.d.ts"],
  };
}

if (import.meta.main) buildClient(join(root, "dist/client"));
