import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { root } from "./built.ts";

test("the browser's code compiles with the types of the web alone", () => {
  const path = fileURLToPath(new URL("src/docs/browser/tsconfig.json", root));
  const read = ts.getParsedCommandLineOfConfigFile(
    path,
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (fault) => {
        throw new Error(String(fault.messageText));
      },
    },
  );
  if (read === undefined) throw new Error(`${path} cannot be read.`);
  const program = ts.createProgram(read.fileNames, read.options);
  expect(read.fileNames.length).toBeGreaterThan(8);
  expect(
    ts.getPreEmitDiagnostics(program).map(({ messageText, file }) => [file?.fileName, messageText]),
  ).toEqual([]);
});
