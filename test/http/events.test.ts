import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client, nextPage, type Seen } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

interface Event {
  readonly id: number;
  readonly type: string;
  readonly timestamp: string;
  readonly resource: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describeOnEngines("listEvents", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
  });
  afterAll(() => running.stop());

  const eventsOf = (seen: Seen) => seen.body as Event[];
  const newPet = async () =>
    ((await client.post("/pets", { name: "Bella", categoryId: 3 })).body as { id: number }).id;
  /** The URL of what follows everything until now. */
  const end = async (query = "limit=100") => {
    let at = `/events?${query}`;
    for (;;) {
      const next = nextPage((await client.get(at)).headers);
      if (next === undefined) return at;
      at = next;
    }
  };

  test("tells of a change what, when, to which resource, and how it is now", async () => {
    const from = await end();
    const beforeMs = Date.now();
    const id = await newPet();
    const order = await client.post("/store/orders", { petId: id });
    const seen = await client.get(from);
    expect(seen.status).toBe(200);
    const [created, placed, updated, ...more] = eventsOf(seen);
    expect(more).toEqual([]);
    expect(created).toEqual({
      id: expect.any(Number),
      type: "pet.created",
      timestamp: new Date(Date.parse(created?.timestamp ?? "")).toISOString(),
      resource: `pets/${id}`,
      data: { id, name: "Bella", categoryId: 3, status: "available" },
    });
    expect(Date.parse(created?.timestamp ?? "")).toBeGreaterThanOrEqual(beforeMs);
    expect(Date.parse(created?.timestamp ?? "")).toBeLessThanOrEqual(Date.now());
    expect([placed?.type, placed?.data]).toEqual(["order.placed", order.body as Event["data"]]);
    expect([updated?.type, updated?.data["status"]]).toEqual(["pet.updated", "pending"]);
    const ids = [created, placed, updated].map((event) => event?.id ?? 0);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  });

  test("leads on after the last event, and to nothing from an empty page", async () => {
    const from = await end();
    expect(eventsOf(await client.get(from))).toEqual([]);
    const id = await newPet();
    const page = await client.get(from);
    expect(eventsOf(page).map(({ resource }) => resource)).toEqual([`pets/${id}`]);
    const next = nextPage(page.headers) ?? "";
    const empty = await client.get(next);
    expect([empty.status, empty.text, nextPage(empty.headers)]).toEqual([200, "[]", undefined]);
    await client.send("DELETE", `/pets/${id}`);
    expect(eventsOf(await client.get(next)).map(({ type }) => type)).toEqual(["pet.deleted"]);
  });

  test("pages through all, by types and by resource", async () => {
    const from = new URL(await end("limit=1"), running.base).searchParams.get("cursor");
    const id = await newPet();
    await client.post("/store/orders", { petId: id });
    const walk = async (query: string) => {
      const found: string[] = [];
      for (let at: string | undefined = `/events?${query}`; at !== undefined; ) {
        const seen: Seen = await client.get(at);
        found.push(...eventsOf(seen).map(({ type, resource }) => `${type} ${resource}`));
        at = nextPage(seen.headers);
      }
      return found;
    };
    const pet = `pets/${id}`;
    expect(await walk(`limit=1&resource=${pet}`)).toEqual([
      `pet.created ${pet}`,
      `pet.updated ${pet}`,
    ]);
    expect(await walk(`type=pet.updated&resource=${pet}`)).toEqual([`pet.updated ${pet}`]);
    expect(await walk(`type=pet.updated&type=pet.created&resource=${pet}`)).toHaveLength(2);
    expect(await walk("resource=pets/0")).toEqual([]);
    const all = await walk("limit=100");
    expect(all.length).toBeGreaterThan(3);
    expect(await walk("limit=1")).toEqual(all);
    // A cursor is for the filters that it came with.
    const refused = await client.get(`/events?type=pet.created&cursor=${from}`);
    expect(refused.body).toMatchObject({ status: 400, code: "cursor_invalid" });
    expect((await client.get(`/pets?cursor=${from}`)).body).toMatchObject({ status: 400 });
  });

  test("is 304 until something happens", async () => {
    const at = await end();
    const etag = (await client.get(at)).headers.get("etag") ?? "";
    const headers = { "if-none-match": etag };
    expect((await client.send("GET", at, { headers })).status).toBe(304);
    await newPet();
    expect((await client.send("GET", at, { headers })).status).toBe(200);
  });

  for (const [query, message] of [
    ["type=pet.sold", "type must be"],
    ["type=", "type must be"],
    ["resource=", "resource must be"],
    ["limit=101", "limit must be"],
    ["cursor=made-up", "The cursor is not valid"],
  ] as const) {
    test(`with ${query} is refused`, async () => {
      const seen = await client.get(`/events?${query}`);
      expect(seen.status).toBe(400);
      expect((seen.body as { message: string }).message).toStartWith(message);
    });
  }

  test("needs the scope events:read, and nothing else does", async () => {
    const { token } = await running.newKey({ scopes: ["pets:read", "orders:read"] });
    const refused = await new Client(running.base, token).get("/events");
    expect(refused.body).toMatchObject({ status: 403, code: "insufficient_scope" });
    const reader = new Client(
      running.base,
      (await running.newKey({ scopes: ["events:read"] })).token,
    );
    expect((await reader.get("/events")).status).toBe(200);
    expect((await reader.get("/pets")).status).toBe(403);
  });

  test("is 410 where events that follow are gone, and starts again without a cursor", async () => {
    await newPet();
    const first = await client.get("/events?limit=1");
    const next = nextPage(first.headers) ?? "";
    await newPet();
    await running.stores.events.prune(Date.now() + 1);
    const seen = await client.get(next);
    expect([seen.status, seen.body]).toEqual([
      410,
      {
        code: "events_expired",
        message:
          "Events that follow this cursor are no longer kept. Read what you need again, then start without a cursor.",
        status: 410,
      },
    ]);
    const id = await newPet();
    expect(eventsOf(await client.get("/events")).map(({ resource }) => resource)).toEqual([
      `pets/${id}`,
    ]);
  });
});
