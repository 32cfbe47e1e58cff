import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventTypes } from "../../src/contract/operations.ts";
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

  test("can be had of each type alone, which makes all of them", async () => {
    const { token } = await running.newKey({ scopes: ["events:read", "platform:read"] });
    const reader = new Client(running.base, token);
    const all = eventsOf(await reader.get("/events?limit=100"));
    expect(new Set(all.map(({ type }) => type)).size).toBeGreaterThan(2);
    const found: Event[] = [];
    for (const type of eventTypes) {
      const seen = await reader.get(`/events?limit=100&type=${type}`);
      expect([seen.status, eventsOf(seen).filter((event) => event.type !== type)]).toEqual([
        200,
        [],
      ]);
      found.push(...eventsOf(seen));
    }
    expect(found.toSorted((one, other) => one.id - other.id)).toEqual(all);
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

  test("shows what belongs to others only to a key that names the scope platform:read", async () => {
    const reading = async (scopes: "all" | string[]) => {
      const { token } = await running.newKey({ scopes });
      return new Client(running.base, token).get("/events?type=key.created&type=pet.created");
    };
    for (const scopes of ["all", ["events:read"]] as const) {
      const refused = await reading(scopes === "all" ? scopes : [...scopes]);
      expect(refused.body).toMatchObject({ status: 403, code: "insufficient_scope" });
      expect(refused.headers.get("www-authenticate")).toContain('scope="platform:read"');
    }
    const events = eventsOf(await reading(["events:read", "platform:read"]));
    expect(events.map(({ type }) => type)).toContain("key.created");
    await newPet();
    const { token } = await running.newKey({ scopes: ["events:read"] });
    const kinds = new Set<string>();
    for (let at: string | undefined = "/events?limit=100"; at !== undefined; ) {
      const page = await new Client(running.base, token).get(at);
      for (const { type } of eventsOf(page)) kinds.add(type.split(".")[0] ?? "");
      at = nextPage(page.headers);
    }
    expect(kinds).toContain("pet");
    expect(kinds).not.toContain("key");
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

  describe("as a stream", () => {
    const open = (query = "", headers = {}) =>
      fetch(`${running.base}/events${query}`, {
        headers: {
          authorization: `Bearer ${running.token}`,
          accept: "text/event-stream",
          ...headers,
        },
      });

    /** Reads until so many events with data are there, each as its lines. */
    async function read(response: Response, count: number): Promise<string[][]> {
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      let text = "";
      const events = () =>
        text
          .split("\n\n")
          .slice(0, -1)
          .map((event) => event.split("\n"))
          .filter((lines) => lines.some((line) => line.startsWith("data: ")));
      while (events().length < count) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`The stream ended after ${text}`);
        text += decoder.decode(value, { stream: true });
      }
      await reader.cancel();
      return events();
    }

    test("shows nothing of others by Last-Event-ID or another key's cursor and ETag", async () => {
      await newPet();
      const hidden = (await running.newKey()).key.id;
      const id = await newPet();
      const all = new Client(
        running.base,
        (await running.newKey({ scopes: ["events:read", "platform:read"] })).token,
      );
      const listed = await all.get("/events?limit=1");
      const { token } = await running.newKey({ scopes: ["events:read"] });
      const authorization = `Bearer ${token}`;
      const last = { "last-event-id": `${eventsOf(listed)[0]?.id}`, authorization };
      const query = new URL(nextPage(listed.headers) ?? "", running.base).search;
      for (const stream of [await open("", last), await open(query, { authorization })]) {
        const lines = (await read(stream, 1)).flat().join("\n");
        expect(lines).toContain(`"resource":"pets/${id}"`);
        expect(lines).not.toContain("key.created");
      }
      const refused = await open("?type=key.created", last);
      expect(refused.status).toBe(403);
      const mine = new Client(running.base, token);
      expect(eventsOf(await mine.get(`/events?resource=keys/${hidden}`))).toEqual([]);
      const etag = (await all.get(`/events?resource=keys/${hidden}`)).headers.get("etag") ?? "";
      const again = await fetch(`${running.base}/events?resource=keys/${hidden}`, {
        headers: { authorization, "if-none-match": etag },
      });
      expect(again.status).toBe(200);
    });

    test("sends what happens from now on, each with its id and type", async () => {
      await newPet();
      const stream = await open();
      expect(stream.headers.get("content-type")).toBe("text/event-stream");
      expect(stream.headers.get("cache-control")).toBe("no-store");
      const id = await newPet();
      const [lines = []] = await read(stream, 1);
      const listed = eventsOf(await client.get(`/events?resource=pets/${id}`));
      expect(lines).toEqual([
        `id: ${listed[0]?.id}`,
        "event: pet.created",
        `data: ${JSON.stringify(listed[0])}`,
      ]);
    });

    test("goes on after Last-Event-ID or a cursor, also where it is long, and filters", async () => {
      const at = await end();
      const cursor = new URL(at, running.base).searchParams.get("cursor");
      const ids: number[] = [];
      for (let count = 0; count < 130; count++) ids.push(await newPet());
      const resources = (events: readonly string[][]) =>
        events.map((lines) => JSON.parse((lines.at(-1) ?? "").slice("data: ".length)).resource);
      const all = await read(await open(`?cursor=${cursor}`), 130);
      expect(resources(all)).toEqual(ids.map((id) => `pets/${id}`));
      const tenth = (all[9]?.[0] ?? "").slice("id: ".length);
      const rest = await read(await open("", { "last-event-id": tenth }), 120);
      expect(rest).toEqual(all.slice(10));
      const one = `?resource=pets/${ids[100]}&type=pet.created`;
      expect(await read(await open(one, { "last-event-id": tenth }), 1)).toEqual(
        all.slice(100, 101),
      );
    });

    test("is chosen by Accept alone, and by its quality", async () => {
      for (const [accept, type] of [
        ["*/*", "application/json"],
        ["application/json, text/event-stream", "application/json"],
        ["text/event-stream;q=0.5, application/json", "application/json"],
        ["application/json;q=0.5, text/*", "text/event-stream"],
      ]) {
        const answer = await open("", { accept });
        expect(answer.headers.get("content-type")).toBe(type as string);
        await answer.body?.cancel();
      }
      const head = await fetch(`${running.base}/events`, {
        method: "HEAD",
        headers: { authorization: `Bearer ${running.token}`, accept: "text/event-stream" },
      });
      expect(head.headers.get("content-type")).toBe("application/json");
      expect((await open("/7")).status).toBe(404);
    });

    test("refuses a Last-Event-ID that is none, and one whose events are gone", async () => {
      const refused = await open("", { "last-event-id": "seven" });
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { code: "parameter_invalid" },
      ]);
      await newPet();
      await newPet();
      await running.stores.events.prune(Date.now() + 1);
      const gone = await open("", { "last-event-id": "1" });
      expect([gone.status, await gone.json()]).toMatchObject([410, { code: "events_expired" }]);
    });

    test("ends when its key is revoked, and is refused beyond 16 for a key", async () => {
      const { key, token } = await running.newKey({ scopes: ["events:read"] });
      const own = { authorization: `Bearer ${token}` };
      const streams = await Promise.all(Array.from({ length: 16 }, () => open("", own)));
      const refused = await open("", own);
      expect([refused.status, await refused.json()]).toMatchObject([429, { code: "rate_limited" }]);
      expect((await open()).status).toBe(200);
      await running.stores.keys.revoke(key.id, Date.now());
      for (const stream of streams) expect(await stream.text()).toStartWith("retry: 2000");
      expect((await open("", own)).status).toBe(401);
    });
  });
});
