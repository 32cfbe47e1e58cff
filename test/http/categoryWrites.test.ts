import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("changing categories", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
  });
  afterAll(() => running.stop());

  const list = async () => (await client.get("/categories?limit=100")).text;
  const patch = (path: string, body: unknown) =>
    client.send("PATCH", path, {
      headers: { "content-type": "application/merge-patch+json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const remove = (id: unknown, headers = {}) =>
    client.send("DELETE", `/categories/${id}`, { headers });

  test("one is created, renamed and deleted, with exact identifiers", async () => {
    const created = await client.post("/categories", '{"id":-9223372036854775808,"name":"Dogs"}');
    expect([created.status, created.text]).toEqual([
      201,
      '{"id":-9223372036854775808,"name":"Dogs"}',
    ]);
    const location = created.headers.get("location") ?? "";
    expect(location).toBe(`${running.base}/categories/-9223372036854775808`);
    const next = await client.post("/categories", { name: "Cats" });
    expect(next.body).toMatchObject({ name: "Cats" });
    const renamed = await patch(location, '{"id":-9223372036854775808,"name":"Hounds"}');
    expect([renamed.status, renamed.text]).toEqual([
      200,
      '{"id":-9223372036854775808,"name":"Hounds"}',
    ]);
    for (const { id } of (await client.get("/categories")).body as { id: unknown }[]) {
      const removed = await remove(id);
      expect([removed.status, removed.text]).toEqual([204, ""]);
    }
    expect(await list()).toBe("[]");
  });

  test("a taken name or identifier is refused by name, and nothing is changed", async () => {
    await client.post("/categories", { id: 3, name: 'Big "dogs"' });
    await client.post("/categories", { id: 4, name: "Cats" });
    const before = await list();
    const taken = (message: string) => ({ code: "category_taken", message, status: 409 });
    const byName = 'The name "Big \\"dogs\\"" is taken by category 3.';
    expect((await client.post("/categories", { name: 'Big "dogs"' })).body).toEqual(taken(byName));
    expect((await client.post("/categories", { id: 3, name: "Wolves" })).body).toEqual(
      taken(String.raw`The id 3 is taken by the category "Big \"dogs\"".`),
    );
    expect((await patch("/categories/4", { name: 'Big "dogs"' })).body).toEqual(taken(byName));
    expect(await list()).toBe(before);
    const last = await client.post("/categories", '{"id":9223372036854775807,"name":"Last"}');
    expect(last.status).toBe(201);
    expect((await client.post("/categories", { name: "Later" })).body).toEqual(
      taken("The largest id is taken by a category. Choose a free id."),
    );
    expect((await remove("9223372036854775807")).status).toBe(204);
  });

  test("another identifier is refused, and changes nothing", async () => {
    const before = await list();
    expect((await patch("/categories/3", { id: 4, name: "Wolves" })).body).toEqual({
      code: "body_invalid",
      message: "id cannot be changed from 3 to 4.",
      status: 400,
    });
    expect(await list()).toBe(before);
  });

  test("one that a pet has is not deleted until no pet has it", async () => {
    await client.post("/categories", { id: 5, name: "Birds" });
    const pet = (await client.post("/pets", { name: "Tweety", categoryId: 5 })).body as {
      id: number;
    };
    expect((await remove(5)).body).toEqual({
      code: "category_in_use",
      message: `Pet ${pet.id} has category 5. Only a category that no pet has can be deleted.`,
      status: 409,
    });
    expect(await list()).toContain("Birds");
    expect((await client.send("DELETE", `/pets/${pet.id}`)).status).toBe(204);
    expect((await remove(5)).status).toBe(204);
  });

  test("what is not there, or not an identifier, is 404", async () => {
    for (const id of ["999", "abc", "1.0", "01", "9223372036854775808", "%00"]) {
      for (const seen of [await remove(id), await patch(`/categories/${id}`, { name: "x" })]) {
        expect([id, seen.body]).toEqual([
          id,
          { code: "category_not_found", message: "No category has this id.", status: 404 },
        ]);
      }
    }
    expect((await client.get("/categories/3")).headers.get("allow")).toBe("PATCH, DELETE");
  });

  describe("a body that is not one of a category is refused and changes nothing", () => {
    const expected =
      "name must be a string of 1 to 255 characters, not only white space, and without U+0000.";
    for (const [body, message] of [
      ["{}", "name is required."],
      ['{"name":""}', expected],
      ['{"name":"  "}', expected],
      ['{"name":"a\\u0000"}', expected],
      [`{"name":"${"x".repeat(256)}"}`, expected],
      ['{"name":null}', expected],
      ["[]", "The body must be a JSON object."],
    ] as const) {
      test(body.slice(0, 40), async () => {
        const before = await list();
        for (const seen of [
          await client.post("/categories", body),
          await patch("/categories/3", body),
        ]) {
          expect(seen.body).toEqual({ code: "body_invalid", message, status: 400 });
        }
        expect(await list()).toBe(before);
      });
    }

    test("an id that is no int64", async () => {
      for (const id of ["1.5", '"7"', "9223372036854775808", "null"]) {
        const seen = await client.post("/categories", `{"id":${id},"name":"x"}`);
        expect([id, seen.status, (seen.body as { code: string }).code]).toEqual([
          id,
          400,
          "body_invalid",
        ]);
      }
    });
  });

  test("a repetition with its Idempotency-Key has no further effect", async () => {
    const headers = { "idempotency-key": "create-mice" };
    const first = await client.post("/categories", { name: "Mice" }, headers);
    const again = await client.post("/categories", { name: "Mice" }, headers);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await client.post("/categories", { name: "Rats" }, headers)).status).toBe(422);
    const { id } = first.body as { id: number };
    const key = { "idempotency-key": "delete-mice" };
    expect((await remove(id, key)).status).toBe(204);
    expect((await remove(id, key)).status).toBe(204);
    expect((await remove(id)).status).toBe(404);
  });

  test("a key without the scope is refused", async () => {
    const { token } = await running.newKey({ scopes: ["pets:read", "pets:write"] });
    const limited = new Client(running.base, token);
    expect((await limited.get("/categories")).status).toBe(200);
    const seen = await limited.post("/categories", { name: "Fish" });
    expect(seen.body).toMatchObject({ code: "insufficient_scope", status: 403 });
    expect((await limited.send("DELETE", "/categories/3")).status).toBe(403);
  });
});
