/** Keys and owners, for operators only. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { hashToken } from "../../src/petstore/keys/token.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import {
  type DashboardApiFixture,
  openDashboardApiFixture,
} from "./dashboardApi/dashboardApiFixture.ts";

describeOnEngines("keys and owners", (engine) => {
  let fixture: DashboardApiFixture;
  beforeEach(async () => {
    fixture = await openDashboardApiFixture(engine);
  });
  afterEach(() => fixture.close());

  const ask = (method: string, path: string, body?: unknown) =>
    fixture.ask(method, path, { as: "operator", ...(body === undefined ? {} : { body }) });

  async function create(body: object) {
    const answer = await ask("POST", "/keys", body);
    expect(answer.status).toBe(201);
    return answer.body as { key: { id: string; expiresAt: string | null }; token: string };
  }

  const stored = (token: string) => fixture.stores.keys.findByHash(hashToken(token));

  test("an owner gets to none of it", async () => {
    const places = [
      ["GET", "/keys"],
      ["POST", "/keys"],
      ["POST", "/keys/key_1/rotate"],
      ["POST", "/keys/key_1/revoke"],
      ["POST", "/catalogue-key"],
      ["GET", "/owners"],
      ["POST", "/owners"],
      ["PUT", "/owners/shop/plan"],
      ["PUT", "/owners/shop/email"],
    ] as const;
    for (const [method, path] of places) {
      const answer = await fixture.ask(method, path, method === "GET" ? {} : { body: {} });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, "operator_only"]);
    }
    expect(await fixture.stores.keys.list()).toEqual([]);
  });

  describe("a key", () => {
    test("is made with what was asked, and its token is in no list", async () => {
      const expiresAtMs = fixture.clock.now() + 86_400_000;
      const { key, token } = await create({ name: "report", scopes: ["pets:read"], expiresAtMs });
      expect(await stored(token)).toMatchObject({ id: key.id, scopes: ["pets:read"], expiresAtMs });
      const { body } = await ask("GET", "/keys");
      expect(body.keys[0]).toMatchObject({
        id: key.id,
        name: "report",
        state: "active",
        expiresAt: new Date(expiresAtMs).toISOString(),
        lastUsedAt: null,
        deprecatedUses: [],
      });
      expect(JSON.stringify(body)).not.toContain(token);
      expect(JSON.stringify(body)).not.toContain(hashToken(token));
    });

    test.each([
      ["no name", { scopes: "all" }],
      ["a name of blanks", { name: "  " }],
      ["an unknown scope", { name: "a", scopes: ["pets:eat"] }],
      ["no scope", { name: "a", scopes: [] }],
      ["an end that has passed", { name: "a", expiresAtMs: 1 }],
      ["a name with a line separator", { name: "a\u2028b" }],
    ])("is refused with %s", async (_what, body) => {
      expect(await ask("POST", "/keys", body)).toMatchObject({
        status: 400,
        body: { code: "body_invalid" },
      });
      expect(await fixture.stores.keys.list()).toEqual([]);
    });

    test("is refused with the name that is reserved for the dashboard's own", async () => {
      expect(await ask("POST", "/keys", { name: "dashboard session" })).toMatchObject({
        status: 400,
        body: { code: "body_invalid", message: expect.stringContaining("is reserved") },
      });
      expect(await fixture.stores.keys.list()).toEqual([]);
    });

    test("is rotated once, and the old one ends with its grace", async () => {
      const old = await create({ name: "website" });
      const rotate = () => ask("POST", `/keys/${old.key.id}/rotate`, { graceSeconds: 60 });
      const { status, body } = await rotate();
      expect(status).toBe(201);
      expect((await stored(body.token))?.name).toBe("website");
      expect((await stored(old.token))?.expiresAtMs).toBe(fixture.clock.now() + 60_000);
      expect((await rotate()).body.code).toBe("key_ended");
      const wrong = await ask("POST", `/keys/${body.key.id}/rotate`, { graceSeconds: -1 });
      expect(wrong.status).toBe(400);
    });

    test("is rotated once, also by two at the same time", async () => {
      const { key } = await create({ name: "website" });
      const rotate = () => ask("POST", `/keys/${key.id}/rotate`, { graceSeconds: 60 });
      const answers = await Promise.all([rotate(), rotate()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    });

    test("is revoked, also twice, and unknown ones are not found", async () => {
      const { key, token } = await create({ name: "leaked" });
      expect((await ask("POST", `/keys/${key.id}/revoke`, {})).status).toBe(204);
      expect((await stored(token))?.revokedAtMs).toBe(fixture.clock.now());
      expect((await ask("POST", `/keys/${key.id}/revoke`, {})).status).toBe(204);
      expect((await ask("POST", "/keys/key_none/revoke", {})).body.code).toBe("key_not_found");
    });

    test("tells what it called that will go away, over all days", async () => {
      const { key } = await create({ name: "old" });
      const lastAtMs = fixture.clock.now();
      const use = { keyId: key.id, operation: "getPet", lastAtMs } as const;
      await fixture.stores.keys.recordUses([
        { ...use, day: "2026-11-14", count: 3, lastAtMs: lastAtMs - 86_400_000 },
        { ...use, day: "2026-11-15", count: 2 },
        { ...use, operation: "listPets", day: "2026-11-15", count: 9 },
      ]);
      const { body } = await ask("GET", "/keys");
      expect(body.keys[0].deprecatedUses).toEqual([
        {
          operation: "getPet",
          count: 5,
          lastAt: new Date(lastAtMs).toISOString(),
          sunsetAt: "2030-12-05T00:00:00.000Z",
          successor: expect.stringContaining("/pets"),
        },
      ]);
    });

    test("for a page of the dashboard may do everything, for an hour", async () => {
      const { status, body } = await ask("POST", "/catalogue-key", {});
      expect(status).toBe(201);
      expect(await stored(body.token)).toMatchObject({
        scopes: "all",
        expiresAtMs: fixture.clock.now() + 3_600_000,
      });
      expect((await ask("GET", "/keys")).body.keys[0].dashboard).toBe(true);
    });
  });

  describe("an owner", () => {
    test("is added once, listed, and moved to another plan", async () => {
      const body = { id: "acme", name: "Acme", plan: "free" };
      expect(await ask("POST", "/owners", body)).toMatchObject({ status: 201, body });
      expect((await ask("POST", "/owners", body)).body.code).toBe("owner_exists");
      expect((await ask("GET", "/owners")).body.map(({ id }: { id: string }) => id)).toEqual([
        "acme",
        "rival",
        "shop",
      ]);
      expect((await ask("PUT", "/owners/acme/plan", { plan: "paid" })).status).toBe(200);
      expect((await fixture.stores.sites.owner("acme"))?.plan).toBe("paid");
      expect((await ask("PUT", "/owners/none/plan", { plan: "paid" })).body.code).toBe(
        "owner_not_found",
      );
    });

    test("has an e-mail address from the start, or later, or none", async () => {
      const body = { id: "acme", name: "Acme", email: "ops@acme.example" };
      expect((await ask("POST", "/owners", body)).body.email).toBe("ops@acme.example");
      const emails = async () =>
        (await ask("GET", "/owners")).body.map(({ id, email }: Record<string, string>) => [
          id,
          email,
        ]);
      expect(await emails()).toEqual([
        ["acme", "ops@acme.example"],
        ["rival", null],
        ["shop", null],
      ]);
      const changed = await ask("PUT", "/owners/acme/email", { email: " Anna@bücher.example " });
      expect(changed.body).toEqual({ email: "Anna@xn--bcher-kva.example" });
      expect((await ask("PUT", "/owners/acme/email", { email: null })).body.email).toBeNull();
      expect((await emails())[0]).toEqual(["acme", null]);
      const nobody = await ask("PUT", "/owners/none/email", { email: "a@example.com" });
      expect(nobody.body.code).toBe("owner_not_found");
    });

    test("is not added where its e-mail address or its name cannot be used", async () => {
      const bad = { id: "acme", name: "Acme", email: "a@example.com\r\nBcc: b@example.com" };
      expect((await ask("POST", "/owners", bad)).body.code).toBe("body_invalid");
      const reserved = { id: "operator", name: "Acme", email: "a@example.com" };
      expect((await ask("POST", "/owners", reserved)).body.code).toBe("name_reserved");
      expect((await ask("GET", "/owners")).body).toHaveLength(2);
    });

    test.each([
      ["an id that is no label", { id: "Acme!", name: "Acme" }],
      ["no name", { id: "acme" }],
      ["a plan that is none", { id: "acme", name: "Acme", plan: "gold" }],
    ])("is refused with %s", async (_what, body) => {
      expect((await ask("POST", "/owners", body)).body.code).toBe("body_invalid");
    });
  });
});
