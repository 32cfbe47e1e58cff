/** The audit log over the API of the dashboard, and what it must never say. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { verify } from "../../src/audit/auditLog.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { allEntries } from "../store/audit.suite.ts";
import {
  type Asked,
  type InternalApiFixture,
  openInternalApiFixture,
} from "./internal/internalApiFixture.ts";

describeOnEngines("the audit log", (engine) => {
  let api: InternalApiFixture;
  beforeEach(async () => {
    api = await openInternalApiFixture(engine);
  });
  afterEach(() => api.close());

  const ask = (method: string, path: string, asked: Asked = {}) =>
    api.ask(method, path, { as: api.tokens.operator, ...asked });
  const numbersOf = (items: readonly { number: number }[]) => items.map(({ number }) => number);

  test("says who did what by which token, from where and in which request", async () => {
    const [, , operator] = await api.stores.access.list();
    const headers = { "user-agent": "curl/8", "x-request-id": "req-7" };
    const body = { id: "acme", name: "Acme", plan: "free", email: null };
    expect((await ask("POST", "/owners", { body, headers })).status).toBe(201);
    const { body: page } = await ask("GET", "/audit?action=owner.create&limit=1");
    expect(page.items).toMatchObject([
      {
        actor: `tokens/${operator?.id}`,
        action: "owner.create",
        subject: "owners/acme",
        requestId: "req-7",
        source: { agent: "curl/8" },
        before: null,
        after: { name: "Acme", plan: "free" },
      },
    ]);
  });

  test("refers to the id that a response has, also where the request has none", async () => {
    const { headers } = await ask("PUT", "/owners/shop/plan", { body: { plan: "free" } });
    const requestId = headers.get("x-request-id") ?? "";
    expect(requestId).toMatch(/^[0-9a-f]{8}-/);
    const [last] = await api.stores.audit.list({ limit: 1 });
    expect(last).toMatchObject({ action: "owner.set_plan", requestId });
  });

  test("comes in pages, each entry once, newest first", async () => {
    const all = await allEntries(api.stores);
    const found: number[] = [];
    let cursor: string | null = "";
    do {
      const { body }: { body: { items: { number: number }[]; nextCursor: string | null } } =
        await ask("GET", `/audit?limit=2&cursor=${cursor}`);
      found.push(...numbersOf(body.items));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(all.length).toBeGreaterThan(4);
    expect(found).toEqual(numbersOf(all).reverse());
    for (const wrong of ["x", "0", "-1", "1e3", "9".repeat(40)]) {
      const { status } = await ask("GET", `/audit?cursor=${wrong}`);
      expect({ wrong, status }).toEqual({ wrong, status: 400 });
    }
  });

  test("is filtered by actor, subject and time", async () => {
    const count = async (query: string) => (await ask("GET", `/audit?${query}`)).body.items.length;
    const [first] = await allEntries(api.stores);
    expect(await count("subject=owners/shop")).toBe(1);
    expect(await count("actor=cli")).toBe(0);
    expect(await count(`untilMs=${first?.atMs}`)).toBe(0);
    expect(await count(`sinceMs=${first?.atMs}`)).toBeGreaterThan(0);
    expect((await ask("GET", "/audit?sinceMs=-1")).status).toBe(400);
  });

  test("is for the operator alone", async () => {
    expect((await ask("GET", "/audit", { as: api.tokens.shop })).status).toBe(403);
    expect((await ask("GET", "/audit", { as: "" })).status).toBe(401);
  });

  test("holds no secret that was made, and no hash of one", async () => {
    const secrets: string[] = Object.values(api.tokens);
    const post = async (path: string, body: unknown = {}) => {
      const { status, body: made } = await ask("POST", path, { body });
      expect([200, 201]).toContain(status);
      for (const secret of [made.token, made.secret, made.link?.split("/").at(-1)]) {
        if (secret !== undefined) secrets.push(secret);
      }
      return made;
    };
    const { key } = await post("/keys", { name: "till", scopes: "all", expiresAtMs: null });
    await post(`/keys/${key.id}/rotate`, { graceSeconds: 60 });
    await post("/catalogue-key");
    await post("/owners/shop/invite");
    const { webhook } = await post("/webhooks", { url: "https://example.com/" });
    await post(`/webhooks/${webhook.id}/rotate`, { overlapSeconds: 0 });
    expect(secrets).toHaveLength(9);

    const { keys, access, webhooks } = api.stores;
    secrets.push(...[...(await keys.list()), ...(await access.list())].map(({ hash }) => hash));
    for (const endpoint of await webhooks.list()) {
      secrets.push(...endpoint.secrets.map(({ sealed }) => sealed));
    }
    const entries = await allEntries(api.stores);
    const everything = JSON.stringify(entries);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20);
      expect(everything).not.toContain(secret);
    }
    // Though nothing that is shown of it has changed.
    expect(entries.at(-1)).toMatchObject({ action: "webhook.rotate" });
    expect((await verify(api.stores.audit)).fault).toBeUndefined();
  });
});
