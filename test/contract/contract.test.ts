import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { generate } from "../../scripts/contract.ts";
import document from "../../src/contract/generated/document.json" with { type: "json" };
import { allOperations, contractFor, scopes } from "../../src/contract/operations.ts";
import { bodyBytesMax } from "../../src/http/input.ts";
import { pageSizeMax } from "../../src/petstore/catalogue/catalogue.ts";

type Node = Record<string, unknown>;
const generated = (name: string) =>
  readFileSync(new URL(`../../src/contract/generated/${name}`, import.meta.url), "utf8");

describe("the contract", () => {
  test("what was generated from it is up to date (otherwise: npm run contract)", async () => {
    for (const [name, text] of Object.entries(await generate())) {
      expect([name, generated(name)]).toEqual([name, text]);
    }
  });

  test("has the requirement's operations, at their places", () => {
    expect(allOperations.map(({ id, method, path }) => `${id} ${method} ${path}`)).toEqual(
      expect.arrayContaining([
        "listPets GET /pets",
        "createPet POST /pets",
        "getPet GET /pets/{petId}",
      ]),
    );
    expect(document.info.version).toBe("1.0.0");
  });

  test("marks every operation with its stability and its scope", () => {
    for (const { id, scope, stability } of allOperations) {
      expect([id, stability]).toEqual([id, expect.stringMatching(/^(stable|beta|experimental)$/)]);
      expect([id, scope]).toEqual([id, expect.stringMatching(/^[a-z]+:(read|write)$/)]);
    }
  });

  test("has scopes that the guide to keys lists, each with what it allows", () => {
    const guide = readFileSync(new URL("../../docs/guide/keys.md", import.meta.url), "utf8");
    const told = [...guide.matchAll(/^\| `([a-z]+:[a-z]+)` +\| \w/gm)].map(([, scope]) => scope);
    expect(told.sort()).toEqual([...scopes].sort());
  });

  test("getPet alone is deprecated, and goes on 5 December 2030", () => {
    const ending = allOperations.filter(({ lifecycle }) => lifecycle !== undefined);
    expect(ending.map(({ id }) => id)).toEqual(["getPet"]);
    expect(ending[0]?.lifecycle?.sunsetAtMs).toBe(Date.UTC(2030, 11, 5));
    expect(document.paths["/pets/{petId}"].get.deprecated).toBe(true);
  });

  test("every operation declares that a key may be refused, and what it answers when it fails", () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const statuses = Object.keys((operation as { responses: Node }).responses);
        expect([path, method, statuses]).toEqual([
          path,
          method,
          expect.arrayContaining(["401", "403", "500", "503"]),
        ]);
      }
    }
  });

  test("has application/json first in every response, since generators take the first for the default", () => {
    const declared = Object.entries(document.components.responses).flatMap(([name, response]) =>
      "content" in response ? [[name, Object.keys(response.content)] as const] : [],
    );
    expect(declared.length).toBeGreaterThan(10);
    for (const [name, media] of declared)
      expect([name, media[0]]).toEqual([name, "application/json"]);
  });

  test("has a valid example on every schema, and on every body of every response", () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(document, "contract");
    let checked = 0;
    const check = (pointer: string, example: unknown) => {
      const validate = ajv.getSchema(`contract#${encodeURI(pointer)}`);
      expect([pointer, validate?.(example), validate?.errors]).toEqual([pointer, true, null]);
      checked++;
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect([name, "example" in schema]).toEqual([name, true]);
      check(`/components/schemas/${name}`, schema.example);
    }
    const bodies = (node: unknown, pointer: string): void => {
      if (typeof node !== "object" || node === null) return;
      const here = node as Node;
      if ("application/json" in here) {
        const media = here["application/json"] as { examples?: Record<string, { value: unknown }> };
        const examples = Object.values(media.examples ?? {});
        expect([pointer, examples.length > 0]).toEqual([pointer, true]);
        for (const { value } of examples) check(`${pointer}/application~1json/schema`, value);
      }
      for (const [key, child] of Object.entries(here)) {
        bodies(child, `${pointer}/${key.replaceAll("/", "~1")}`);
      }
    };
    bodies(document, "");
    expect(checked).toBeGreaterThan(20);
  });

  test("says the limits that the program holds to", () => {
    expect(document.paths["/pets"].post.requestBody.description).toContain(
      bodyBytesMax.toLocaleString("en"),
    );
    const { maximum } = document.components.parameters.limit.schema;
    expect(maximum).toBe(100);
    expect(maximum).toBeLessThanOrEqual(pageSizeMax);
  });

  test("is served with the base addresses of the installation", () => {
    const served = JSON.parse(
      contractFor({ production: "https://a.example/v1", staging: "https://b.example/v1" }),
    );
    expect(served.servers).toEqual([
      { url: "https://a.example/v1", description: "Production" },
      { url: "https://b.example/v1", description: "Staging" },
    ]);
    for (const { url } of document.servers) expect(url).toEndWith("/v1");
  });
});
