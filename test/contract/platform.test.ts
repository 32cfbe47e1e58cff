import { describe, expect, test } from "bun:test";
import { platformOperations, unreadBodies } from "../../src/contract/platform.ts";
import type { Reading } from "../../src/contract/schema.ts";
import { platformProblems, problems } from "../../src/core/problems.ts";
import {
  createPlatformHandlers,
  type PlatformHandlersParts,
} from "../../src/http/platform/handlers.ts";
import { judgePlatform, platformDocument } from "./judgePlatform.ts";

const seen = (status: number, body: unknown) => ({
  status,
  headers: new Headers({ "content-type": "application/json" }),
  text: JSON.stringify(body),
});

describe("the document of the platform's API", () => {
  test("lists every code that only this API has, and no code that does not exist", () => {
    const { enum: codes } = platformDocument.components.schemas["ErrorCode"] as { enum: string[] };
    const platform = Object.keys(platformProblems);
    expect(codes).toEqual(expect.arrayContaining(platform));
    expect(codes.filter((code) => !platform.includes(code) && !(code in problems))).toEqual([]);
  });
});

describe("the operations of the platform's API", () => {
  const described = Object.values(platformDocument.paths)
    .flatMap(({ parameters: _parameters, ...methods }) => Object.values(methods))
    .map(({ operationId, "x-body": body }) => ({ id: operationId as string, body }));

  test("are those of the document", () => {
    expect(platformOperations.map(({ id }) => id as string)).toEqual(described.map(({ id }) => id));
  });

  test("have a handler each, and there is no other", () => {
    const handlers = createPlatformHandlers({} as PlatformHandlersParts);
    expect(Object.keys(handlers).toSorted()).toEqual(described.map(({ id }) => id).toSorted());
  });

  test("leave the body to the handler where the document says so", () => {
    const unread = described.filter(({ body }) => body === "unread").map(({ id }) => id);
    expect([...unreadBodies].toSorted() as string[]).toEqual(unread.toSorted());
    for (const { id, body } of platformOperations) {
      if (unread.includes(id)) expect([id, body]).toEqual([id, undefined]);
    }
  });

  test.each<[string, unknown, string[]]>([
    ["addDomain", { host: "a.example" }, []],
    ["addDomain", { host: "a.example" }, []],
    ["addDomain", {}, ["host is required."]],
    ["addDomain", { host: "a", by: 1 }, ["by is not a member of this body."]],
    ["createKey", { name: "a", scopes: "all", expiresAtMs: null }, []],
    ["createKey", { name: "a", scopes: ["pets:read"], expiresAtMs: 7 }, []],
    ["createKey", { name: "a", scopes: "pets" }, ["scopes must be all, or a list of scopes."]],
    ["createKey", { name: "a", scopes: [1] }, ["scopes must be all, or a list of scopes."]],
    [
      "createKey",
      { name: "a", expiresAtMs: "tomorrow" },
      ["expiresAtMs must be an integer from 0 to 8640000000000000, or null."],
    ],
    ["changePlan", { plan: "gold" }, ["plan must be one of free, paid."]],
    ["signIn", [], ["The body must be a JSON object."]],
  ])("%s reads %j: %j", (id, body, complaints) => {
    const reading: Reading = { complaints: [], strict: true };
    platformOperations.find((operation) => operation.id === id)?.body?.(body, "The body", reading);
    expect(reading.complaints).toEqual(complaints);
  });
});

describe("the judge of responses", () => {
  const owner = { id: "shop", name: "The shop", plan: "paid", email: null };

  test("lets a response pass that is described", () => {
    judgePlatform("GET", "/owners", seen(200, [owner]));
  });

  test.each([
    ["a member that is not described", "GET", "/owners", 200, [{ ...owner, secret: 1 }]],
    ["a member that is missing", "GET", "/owners", 200, [{ id: "shop" }]],
    ["a member of another type", "GET", "/owners", 200, [{ ...owner, plan: "gold" }]],
    ["a status that is not declared", "POST", "/owners", 200, owner],
    ["a body where none is declared", "POST", "/keys/key_1/revoke", 204, {}],
    ["a code that is not listed", "GET", "/owners", 404, { code: "x", message: "", status: 404 }],
    [
      "a code with the status of another",
      "GET",
      "/owners",
      400,
      { code: "owner_not_found", message: "", status: 400 },
    ],
    [
      "a domain with a member that is not described",
      "GET",
      "/projects/a/domains",
      200,
      { items: [{ a: 1 }], nextCursor: null },
    ],
  ])("refuses %s", (_what, method, path, status, body) => {
    expect(() => judgePlatform(method, path, seen(status, body))).toThrow("platform.yaml");
  });
});
