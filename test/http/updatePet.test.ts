import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bodyBytesMax } from "../../src/http/input.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { Client, type Seen } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("updatePet", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
  });
  afterAll(() => running.stop());

  const media = "application/merge-patch+json";
  const patch = (id: unknown, body: unknown, headers = {}, from = client): Promise<Seen> =>
    from.send("PATCH", `/pets/${id}`, { body, headers: { "content-type": media, ...headers } });
  const newPet = async (status = "available") =>
    ((await client.post("/pets", { name: "Bella", categoryId: 3, status })).body as { id: number })
      .id;
  const tagOf = async (path: string) => (await client.get(path)).headers.get("etag") ?? "";

  test("answers 200 with the pet as it is from then on, for every reader", async () => {
    const id = await newPet();
    // Twice, so that it is cached.
    for (const path of [`/pets/${id}`, `/pets?id=${id}`]) {
      for (let time = 0; time < 3; time++) await client.get(path);
    }
    const seen = await patch(id, { name: "Rex", status: "sold" });
    expect(seen.status).toBe(200);
    expect(seen.text).toBe(`{"id":${id},"name":"Rex","categoryId":3,"status":"sold"}`);
    expect(seen.headers.get("cache-control")).toBe("no-store");
    expect((await client.get(`/pets/${id}`)).text).toBe(seen.text);
    expect((await client.get(`/pets?id=${id}`)).text).toBe(`[${seen.text}]`);
    expect((await client.get(`/pets?id=${id}&status=available`)).text).toBe("[]");
    expect(seen.headers.get("etag")).toBe(await tagOf(`/pets/${id}`));
  });

  test("is never behind in a cached page that the pet is on", async () => {
    const [first, second] = [await newPet(), await newPet()];
    await newPet();
    const path = `/pets?id=${first}&id=${second}&limit=1`;
    for (let time = 0; time < 4; time++) {
      expect((await patch(first, { name: `Time ${time}` })).status).toBe(200);
      for (let again = 0; again < 3; again++) {
        expect((await client.get(path)).body).toMatchObject([{ name: `Time ${time}` }]);
      }
    }
  });

  for (const type of [media, "application/json", `${media}; charset=utf-8`, media.toUpperCase()]) {
    test(`takes ${type}`, async () => {
      const seen = await patch(await newPet(), { name: "Rex" }, { "content-type": type });
      expect(seen.body).toMatchObject({ name: "Rex", categoryId: 3, status: "available" });
    });
  }

  test("refuses other media with what it takes, and createPet takes no patch", async () => {
    const id = await newPet();
    for (const type of ["text/plain", "application/json-patch+json", "application/merge-patch"]) {
      const seen = await patch(id, "{}", { "content-type": type });
      expect(seen.body).toEqual({
        code: "media_type_unsupported",
        message: `Send the body as application/json or ${media}.`,
        status: 415,
      });
      expect(seen.headers.get("accept-patch")).toBe(`application/json, ${media}`);
    }
    const created = await client.post(
      "/pets",
      { name: "A", categoryId: 1 },
      { "content-type": media },
    );
    expect([created.status, created.headers.get("accept-patch")]).toEqual([415, null]);
  });

  const nameMust =
    "name must be a string of 1 to 255 characters, not only white space, and without U+0000.";
  const idMust = "categoryId must be an integer from -9223372036854775808 to 9223372036854775807.";
  const statusMust = "status must be one of available, pending, sold, or null.";
  const empty = "The body must have at least one of id, name, categoryId, status.";
  const refused: [body: string, message: string | RegExp][] = [
    ["{}", empty],
    ['{"colour":"red"}', empty],
    ['{"__proto__":{"name":"x"}}', empty],
    ['{"name":null,"categoryId":null}', `${nameMust} ${idMust}`],
    ['{"name":1,"categoryId":"1","status":1}', `${nameMust} ${idMust} ${statusMust}`],
    ['{"name":"","status":"lost"}', `${nameMust} ${statusMust}`],
    [`{"name":"${"x".repeat(256)}"}`, nameMust],
    ['{"name":"a\\u0000"}', nameMust],
    ['{"categoryId":9223372036854775808}', idMust],
    ['{"categoryId":1.5}', idMust],
    ['{"id":null}', /^id must be an integer/],
    ['{"id":"1"}', /^id must be an integer/],
    ['{"id":9007199254740993,"name":"x"}', /^id cannot be changed from \d+ to 9007199254740993\.$/],
    ["[]", "The body must be a JSON object."],
    ["null", "The body must be a JSON object."],
    ['"name"', "The body must be a JSON object."],
  ];
  for (const [body, message] of refused) {
    test(`${body.slice(0, 60)} is refused by name, and changes nothing`, async () => {
      const id = await newPet("sold");
      const before = (await client.get(`/pets/${id}`)).text;
      const seen = await patch(id, body);
      expect(seen.body).toMatchObject({ code: "body_invalid", status: 400 });
      const said = (seen.body as { message: string }).message;
      if (typeof message === "string") expect(said).toBe(message);
      else expect(said).toMatch(message);
      expect((await client.get(`/pets/${id}`)).text).toBe(before);
    });
  }

  test("what is no JSON, too large or coded is refused as on creation", async () => {
    const id = await newPet();
    expect((await patch(id, '{"name":')).body).toMatchObject({ code: "body_unreadable" });
    expect((await patch(id, "")).body).toMatchObject({ code: "body_unreadable" });
    const large = `{"name":"${" ".repeat(bodyBytesMax)}"}`;
    expect((await patch(id, large)).body).toMatchObject({ code: "body_too_large" });
    const coded = await patch(id, '{"name":"x"}', { "content-encoding": "gzip" });
    expect(coded.body).toMatchObject({ code: "media_type_unsupported" });
  });

  test("unknown members are ignored, and refused by name when strict", async () => {
    const id = await newPet();
    const body = { name: "Rex", colour: "red" };
    expect((await patch(id, body)).body).toEqual({
      ...{ id, name: "Rex", categoryId: 3, status: "available" },
    });
    const strict = await patch(id, body, { prefer: "handling=strict" });
    expect(strict.body).toMatchObject({ message: "colour is not a member of this body." });
  });

  test("null resets the status, the pet's own id may be there, and the same again changes nothing", async () => {
    const id = await newPet("sold");
    const reset = await patch(id, { status: null });
    expect(reset.body).toMatchObject({ id, status: "available" });
    const whole = await patch(id, reset.text);
    expect([whole.status, whole.text]).toEqual([200, reset.text]);
    expect((await patch(id, { id })).text).toBe(reset.text);
  });

  for (const id of ["999999", "0", "-1", "abc", "01", "9223372036854775808"]) {
    test(`there is no pet ${id}, whatever its condition`, async () => {
      const missing = { code: "pet_not_found", message: "No pet has this id.", status: 404 };
      expect((await patch(id, { name: "Rex" })).body).toEqual(missing);
      expect((await patch(id, { name: "Rex" }, { "if-match": '"x"' })).body).toEqual(missing);
    });
  }

  describe("If-Match", () => {
    const failed = { code: "precondition_failed", status: 412 };

    test("with the pet's ETag updates it once, and the stale one is 412 and changes nothing", async () => {
      const id = await newPet();
      const tag = await tagOf(`/pets/${id}`);
      const first = await patch(id, { name: "One" }, { "if-match": tag });
      expect(first.status).toBe(200);
      expect((await patch(id, { name: "Two" }, { "if-match": tag })).body).toMatchObject(failed);
      expect((await client.get(`/pets/${id}`)).text).toBe(first.text);
      const next = first.headers.get("etag") ?? "";
      expect((await patch(id, { name: "Two" }, { "if-match": next })).status).toBe(200);
    });

    test("of twenty racing updates under one ETag exactly one succeeds", async () => {
      const id = await newPet();
      const tag = await tagOf(`/pets/${id}`);
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, n) => patch(id, { name: `${n}` }, { "if-match": tag })),
      );
      expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
    });

    test("takes the ETag of the list that replaces getPet, one of several, and *", async () => {
      const id = await newPet();
      const listed = await tagOf(`/pets?id=${id}`);
      expect((await patch(id, { name: "One" }, { "if-match": listed })).status).toBe(200);
      expect((await patch(id, { name: "Two" }, { "if-match": listed })).status).toBe(412);
      const several = `"other" , W/"weak",${await tagOf(`/pets/${id}`)}`;
      expect((await patch(id, { name: "Two" }, { "if-match": several })).status).toBe(200);
      expect((await patch(id, { name: "Three" }, { "if-match": "*" })).status).toBe(200);
    });

    test("compares strongly (RFC 9110, section 13.1.1)", async () => {
      const id = await newPet();
      const weak = `W/${await tagOf(`/pets/${id}`)}`;
      expect((await patch(id, { name: "x" }, { "if-match": weak })).body).toMatchObject(failed);
    });

    for (const wrong of ["abc", '"a', '"a" "b"', "*, *", '"a",', "'a'"]) {
      test(`${wrong} is refused with 400`, async () => {
        const seen = await patch(await newPet(), { name: "x" }, { "if-match": wrong });
        expect(seen.body).toMatchObject({ code: "parameter_invalid", status: 400 });
        expect((seen.body as { message: string }).message).toStartWith("If-Match must be");
      });
    }
  });

  describe("while an order holds the pet", () => {
    test("the status stays, the rest may change, and cancelling frees it", async () => {
      const id = await newPet();
      const order = (await client.post("/store/orders", { petId: id })).body as { id: number };
      for (const status of ["available", "sold", null]) {
        expect((await patch(id, { name: "Rex", status })).body).toEqual({
          code: "pet_reserved",
          message: `Order ${order.id} holds pet ${id}. Deliver or cancel the order first.`,
          status: 409,
        });
      }
      expect((await client.get(`/pets/${id}`)).body).toMatchObject({ name: "Bella" });
      expect((await patch(id, { name: "Rex", status: "pending" })).status).toBe(200);
      await client.send("POST", `/store/orders/${order.id}/cancel`);
      expect((await client.get(`/pets/${id}`)).body).toMatchObject({
        ...{ name: "Rex", status: "available" },
      });
      expect((await patch(id, { status: "sold" })).status).toBe(200);
    });

    test("of a new status and an order at once, both happen in a sensible order or one is refused", async () => {
      for (let round = 0; round < 10; round++) {
        const id = await newPet();
        const [updated, placed] = await Promise.all([
          patch(id, { status: "sold" }),
          client.post("/store/orders", { petId: id }),
        ]);
        expect([updated.status, placed.status].sort()).toEqual(
          updated.status === 200 ? [200, 409] : [201, 409],
        );
        const { status } = (await client.get(`/pets/${id}`)).body as { status: string };
        expect(status).toBe(updated.status === 200 ? "sold" : "pending");
      }
    });
  });

  test("a repetition under an Idempotency-Key gets the first answer, and changes nothing again", async () => {
    const id = await newPet();
    const headers = { "idempotency-key": `update-${id}`, "if-match": await tagOf(`/pets/${id}`) };
    const first = await patch(id, { name: "One" }, headers);
    await patch(id, { name: "Two" });
    const again = await patch(id, { name: "One" }, headers);
    expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([
      ...[200, first.text, "true"],
    ]);
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    expect((await client.get(`/pets/${id}`)).body).toMatchObject({ name: "Two" });
    expect((await patch(id, { name: "Three" }, headers)).status).toBe(422);
  });

  test("pets:write is needed, and a key in the first place", async () => {
    const id = await newPet();
    const reader = new Client(
      running.base,
      (await running.newKey({ scopes: ["pets:read", "orders:write"] })).token,
    );
    expect((await patch(id, { name: "Rex" }, {}, reader)).body).toMatchObject({
      ...{ code: "insufficient_scope", status: 403 },
    });
    expect((await patch(id, { name: "Rex" }, {}, new Client(running.base))).status).toBe(401);
    const writer = new Client(
      running.base,
      (await running.newKey({ scopes: ["pets:write"] })).token,
    );
    expect((await patch(id, { name: "Rex" }, {}, writer)).status).toBe(200);
  });

  test("errors are problem details on request", async () => {
    const seen = await patch(1e6, { name: "x" }, { accept: "application/problem+json" });
    expect(seen.headers.get("content-type")).toBe("application/problem+json");
    expect(seen.body).toMatchObject({ code: "pet_not_found", status: 404 });
  });

  test("it and deletePet outlive getPet on the same path, without its announcements", async () => {
    const late = await startTestService({ engine, clock: fakeClock(Date.UTC(2031, 0, 1)) });
    try {
      await late.client.post("/pets", { name: "Bella", categoryId: 3 });
      expect((await late.client.get("/pets/1")).status).toBe(410);
      const listed = (await late.client.get("/pets?id=1")).headers.get("etag") ?? "";
      const seen = await patch(1, { name: "Rex" }, { "if-match": listed }, late.client);
      expect([seen.status, seen.headers.get("sunset")]).toEqual([200, null]);
      expect((await late.client.send("DELETE", "/pets/1")).status).toBe(204);
    } finally {
      await late.stop();
    }
  });

  test("where categories are enforced, an unknown one is refused", async () => {
    const variables = { PETSTORE_ENFORCE_CATEGORIES: "on" };
    const strict = await startTestService({ engine, variables });
    try {
      await strict.stores.categories.add("Dogs", 3n);
      await strict.client.post("/pets", { name: "Bella", categoryId: 3 });
      expect((await patch(1, { categoryId: 4 }, {}, strict.client)).body).toEqual({
        code: "body_invalid",
        message: "categoryId must be the id of a category; no category has 4.",
        status: 400,
      });
      expect((await patch(1, { name: "Rex", categoryId: 3 }, {}, strict.client)).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });

  // The last one, because pets that are added after it have such ids too.
  test("every digit of a category and of an id is kept", async () => {
    const petId = 9007199254740993n;
    await running.stores.catalogue.import([
      { id: petId, name: "Far", categoryId: 1n, status: "sold" },
    ]);
    const body = '{"id":9007199254740993,"categoryId":-9223372036854775808}';
    const seen = await patch(petId, body);
    expect(seen.text).toBe(
      '{"id":9007199254740993,"name":"Far","categoryId":-9223372036854775808,"status":"sold"}',
    );
    expect((await patch(petId, '{"id":9007199254740992}')).status).toBe(400);
  });
});
