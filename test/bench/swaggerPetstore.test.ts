import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { swaggerPetstore } from "../../bench/contestants/swaggerPetstore.ts";

const before = process.env["SWAGGER_PETSTORE"];
const folder = mkdtempSync(join(tmpdir(), "petstore-swagger-"));

beforeAll(() => {
  process.env["SWAGGER_PETSTORE"] = folder;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (before === undefined) delete process.env["SWAGGER_PETSTORE"];
  else process.env["SWAGGER_PETSTORE"] = before;
});

test("swagger-petstore takes part once its folder is complete, with the version of its contract", async () => {
  writeFileSync(join(folder, "openapi.yaml"), "info:\n  version: 1.0.27\n");
  expect(swaggerPetstore.lacks?.()).toContain("SWAGGER_PETSTORE names no folder with jetty-runner");
  for (const file of ["jetty-runner.jar", "server.war", "inflector.yaml"]) {
    writeFileSync(join(folder, file), "");
  }
  expect(swaggerPetstore.lacks?.()).toBeUndefined();
  expect(await swaggerPetstore.version()).toBe("1.0.27");
});
