import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { PetStoreClient } from "../../src/client/client.ts";
import { pageSizeMax, routes } from "../../src/client/operations.ts";
import document from "../../src/contract/generated/document.json" with { type: "json" };
import { allOperations } from "../../src/contract/operations.ts";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, object>>;
}

interface Described {
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Schema } };
  };
}

const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
const settled = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});

/** The members of an operation's body that have a default, which the generated types always have. */
function optionalMembers(path: string, method: string): string[] {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const requestBody = paths[path]?.[method.toLowerCase()]?.requestBody;
  if (requestBody === undefined) return [];
  const { properties = {} } = settled(requestBody.content["application/json"].schema);
  return Object.entries(properties).flatMap(([name, member]) =>
    Object.hasOwn(member, "default") ? [name] : [],
  );
}

describe("the client and the contract", () => {
  test("have the same operations, at the same places", () => {
    const known = Object.entries(routes).map(([id, { method, path }]) => [id, method, path]);
    expect(known.sort()).toEqual(
      allOperations.map(({ id, method, path }) => [id, method, path]).sort(),
    );
  });

  for (const { id, method, path, lifecycle } of allOperations) {
    test(`${id} is a method of the client`, () => {
      expect(PetStoreClient.prototype).toHaveProperty(id, expect.any(Function));
    });

    test(`${id} takes a body without its optional members`, () => {
      const { optional = [] } = routes[id] as { readonly optional?: readonly string[] };
      expect([...optional].sort()).toEqual(optionalMembers(path, method).sort());
    });

    test(`${id} ${lifecycle === undefined ? "is not marked" : "is marked with its end"}`, () => {
      const source = readFileSync(new URL("../../src/client/client.ts", import.meta.url), "utf8");
      const [, comment = ""] =
        new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+(?:async )?${id}\\(`).exec(source) ?? [];
      expect(comment).not.toBe("");
      if (lifecycle === undefined) expect(comment).not.toContain("@deprecated");
      else {
        const date = new Date(lifecycle.sunsetAtMs).toISOString().slice(0, 10);
        expect(comment).toContain(`@deprecated Goes away on ${date}.`);
      }
    });
  }

  test("agree on the largest page", () => {
    expect(document.components.parameters.limit.schema.maximum).toBe(pageSizeMax);
  });
});
