import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { typeCheck } from "../../testkit/typeCheck.ts";
import { root } from "./built.ts";

test("the browser's code compiles with the types of the web alone", () => {
  const folder = fileURLToPath(new URL("src/docs/browser/", root));
  const { files, errors } = typeCheck(folder);
  expect(errors).toEqual([]);
  expect(files.filter((file) => file.startsWith(folder)).length).toBeGreaterThan(8);
});
