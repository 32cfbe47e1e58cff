import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Problem } from "../../src/core/problems.ts";
import type { PetQuery } from "../../src/petstore/catalogue/catalogue.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { rounds } from "../../testkit/rounds.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

const ofEachAnswer = ["date", "x-request-id"];

/** Every question is asked twice before the change, so that an answer could have been kept. */
describeOnEngines("a response that was given before", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
  });
  afterAll(() => running.stop());

  const add = async (name: string) =>
    ((await client.post("/pets", { name, categoryId: 1 })).body as { id: number }).id;
  const namesAt = async (path: string) =>
    ((await client.get(path)).body as { name: string }[]).map(({ name }) => name);
  const askedTwice = async (path: string) => {
    const first = await client.get(path);
    const second = await client.get(path);
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect([...second.headers].filter(([name]) => !ofEachAnswer.includes(name))).toEqual(
      [...first.headers].filter(([name]) => !ofEachAnswer.includes(name)),
    );
    return second;
  };

  test("is the same the second time, to the last header", async () => {
    const ids = [await add("Ada"), await add("Bo"), await add("Cy")];
    for (const path of ["/pets", "/pets?limit=1", `/pets/${ids[0]}`, `/pets?id=${ids[1]}`]) {
      expect((await askedTwice(path)).status).toBe(200);
    }
  });

  test("is the same for requests that are written differently, however often each was sent", async () => {
    const path = `/pets/${await add("Zoë")}`;
    const first = await client.get(path);
    for (const accept of ["application/json", "*/*", "application/json", "*/*", "text/html, */*"]) {
      const again = await client.get(path, { headers: { accept } });
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect([...again.headers].filter(([name]) => !ofEachAnswer.includes(name))).toEqual(
        [...first.headers].filter(([name]) => !ofEachAnswer.includes(name)),
      );
    }
  });

  test("is another once a pet has changed, in every way to ask for it", async () => {
    const id = await add("Dot");
    await add("Eve");
    const paths = [`/pets/${id}`, `/pets?id=${id}`, "/pets?limit=100", "/pets?status=available"];
    for (const path of paths) await askedTwice(path);
    expect((await client.post("/store/orders", { petId: id })).status).toBe(201);
    for (const path of paths) {
      const { text } = await client.get(path);
      expect([path, text.includes(`"name":"Dot","categoryId":1,"status":"available"`)]).toEqual([
        path,
        false,
      ]);
    }
    expect(await namesAt("/pets?status=pending")).toEqual(["Dot"]);
  });

  test("is another once a pet was added behind a last page", async () => {
    for (const path of ["/pets?limit=100", "/pets?status=sold"]) await askedTwice(path);
    await client.post("/pets", { name: "Fay", categoryId: 1, status: "sold" });
    expect(await namesAt("/pets?limit=100")).toContain("Fay");
    expect(await namesAt("/pets?status=sold")).toEqual(["Fay"]);
  });

  test("is another once a pet that was missing is there", async () => {
    const last = await add("Gil");
    const both = `/pets?id=${last}&id=${last + 1}`;
    await askedTwice(both);
    expect((await askedTwice(`/pets/${last + 1}`)).status).toBe(404);
    await add("Hal");
    expect(await namesAt(both)).toEqual(["Gil", "Hal"]);
    expect((await client.get(`/pets/${last + 1}`)).body).toMatchObject({ name: "Hal" });
  });

  test("is another once an import has put a pet between two others", async () => {
    const ids = [1_000n, 1_002n, 1_003n];
    await running.stores.catalogue.import(
      ids.map((id) => ({ id, name: `Pet ${id}`, categoryId: 9n, status: "available" })),
    );
    // Full, and with another page behind it: nothing that is added can change it.
    const { length } = await namesAt("/pets?limit=100");
    const page = `/pets?limit=${length - 1}`;
    expect((await askedTwice(page)).headers.get("link")).toContain('rel="next"');
    const other = await running.database.open();
    try {
      const between = { id: 1_001n, name: "Between", categoryId: 9n, status: "available" } as const;
      await other.catalogue.import([between]);
    } finally {
      await other.close();
    }
    expect(await namesAt(page)).toContain("Between");
  });

  test("is what would be answered now, whatever was ordered in between", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 24; n++) ids.push(await add(`Pet ${n}`));
    const orders: number[] = [];
    const second = (await client.get("/pets?limit=3")).headers
      .get("link")
      ?.match(/cursor=([^&>]+)/);
    const asked = [
      ...ids.map((id) => `/pets/${id}`),
      ...["/pets?limit=3", "/pets?limit=20", "/pets?limit=2&status=available"],
      ...["/pets?limit=1&status=pending", "/pets?limit=2&status=sold"],
      `/pets?limit=3&cursor=${second?.[1]}`,
      `/pets?limit=5${ids
        .slice(0, 9)
        .map((id) => `&id=${id}`)
        .join("")}`,
      `/pets?${ids
        .slice(3, 6)
        .map((id) => `id=${id}`)
        .join("&")}`,
      `/pets?status=available&${ids
        .slice(20)
        .map((id) => `id=${id}`)
        .join("&")}`,
    ];
    const random = new SeededRandom(20_261_115);
    const below = (count: number) => random.between(0, count);
    for (let round = 0; round < rounds(20, 60); round++) {
      const place = below(3) > 0 || orders.length === 0;
      if (place) {
        const petId = ids[below(ids.length)];
        const { status, body } = await client.post("/store/orders", { petId });
        if (status === 201) orders.push((body as { id: number }).id);
      } else {
        const [order] = orders.splice(below(orders.length), 1);
        for (const step of ["approve", "deliver"]) {
          expect((await client.send("POST", `/store/orders/${order}/${step}`)).status).toBe(200);
        }
      }
      for (const path of asked) {
        const given = await client.get(path);
        // A request with an id of its own is not answered from the cache.
        const made = await client.get(path, { headers: { "x-request-id": "mine" } });
        expect([round, path, given.text, given.headers.get("link")]).toEqual([
          round,
          path,
          made.text,
          made.headers.get("link"),
        ]);
      }
    }
  });

  test("is not for another key, nor for one without the scope", async () => {
    const id = await add("Ivy");
    await askedTwice(`/pets/${id}`);
    const { token } = await running.newKey({ scopes: ["orders:read"] });
    const sent = (authorization: string) =>
      client.send("GET", `/pets/${id}`, { headers: { authorization } });
    for (let n = 0; n < 3; n++) {
      expect((await sent(`Bearer ${token}`)).status).toBe(403);
      expect((await sent("Bearer pet_live_nobody")).status).toBe(401);
      expect((await sent("")).status).toBe(401);
    }
    expect((await client.get(`/pets/${id}`)).status).toBe(200);
  });

  test("is judged anew when the request asks for something of its own", async () => {
    const id = await add("Jo");
    const path = `/pets/${id}?colour=red`;
    const { headers, text } = await askedTwice(path);
    const strict = await client.get(path, { headers: { prefer: "handling=strict" } });
    expect([strict.status, strict.text]).toEqual([400, expect.stringContaining("colour")]);
    const held = { "if-none-match": headers.get("etag") ?? "" };
    expect((await client.get(path, { headers: held })).status).toBe(304);
    const named = await client.get(path, { headers: { "x-request-id": "mine" } });
    expect([named.text, named.headers.get("x-request-id")]).toEqual([text, "mine"]);
    const cross = await client.get(path, { headers: { origin: "https://shop.example" } });
    expect([cross.text, cross.headers.get("access-control-allow-origin")]).toEqual([text, "*"]);
    const head = await client.send("HEAD", path);
    expect([head.text, head.headers.get("content-length")]).toEqual(["", `${text.length}`]);
  });
});

describe("a cached response", () => {
  const startMs = Date.UTC(2030, 11, 4, 23);
  const hourMs = 3_600_000;

  async function startCounting(variables: Record<string, string> = {}) {
    const clock = fakeClock(startMs);
    let reads = 0;
    const running = await startTestService({
      clock,
      variables,
      async openStores(_options, usual) {
        const stores = await usual();
        const get = (id: bigint) => {
          reads++;
          return stores.catalogue.get(id);
        };
        const { catalogue } = stores;
        const counted = {
          add: catalogue.add.bind(catalogue),
          update: catalogue.update,
          delete: catalogue.delete,
          count: catalogue.count.bind(catalogue),
          list: (query: PetQuery) => {
            reads++;
            return catalogue.list(query);
          },
          changes: catalogue.changes,
          revision: () => catalogue.revision(),
          import: catalogue.import.bind(catalogue),
          get,
        };
        return { ...stores, catalogue: counted };
      },
    });
    await running.client.post("/pets", { name: "Ada", categoryId: 1 });
    return { running, clock, reads: () => reads };
  }

  const statuses = async (ask: () => Promise<{ status: number }>, times = 4) => {
    const seen: number[] = [];
    for (let n = 0; n < times; n++) seen.push((await ask()).status);
    return seen;
  };

  test("is read from the store when it is asked for the first and the second time", async () => {
    const { running, reads } = await startCounting();
    try {
      expect(await statuses(() => running.client.get("/pets/1"), 6)).toEqual(Array(6).fill(200));
      expect(reads()).toBe(2);
    } finally {
      await running.stop();
    }
  });

  test("stands when other pets are ordered, and ends with its own", async () => {
    const { running, reads } = await startCounting();
    try {
      const { client } = running;
      for (let n = 0; n < 3; n++) await client.post("/pets", { name: "Bo", categoryId: 1 });
      for (const path of ["/pets/1", "/pets?id=1&id=2", "/pets?limit=1"]) {
        await statuses(() => client.get(path), 3);
      }
      const before = reads();
      expect((await client.post("/store/orders", { petId: 4 })).status).toBe(201);
      for (const path of ["/pets/1", "/pets?id=1&id=2", "/pets?limit=1"]) await client.get(path);
      expect(reads()).toBe(before);
      // The page ends where the next one begins, with pet 2.
      expect((await client.post("/store/orders", { petId: 2 })).status).toBe(201);
      for (const path of ["/pets/1", "/pets?id=1&id=2", "/pets?limit=1"]) await client.get(path);
      expect(reads()).toBe(before + 2);
    } finally {
      await running.stop();
    }
  });

  test("ends with the operation and with the key, on the minute", async () => {
    const { running, clock } = await startCounting();
    try {
      const { token } = await running.newKey({ expiresAtMs: startMs + hourMs / 2 });
      const shortly = new Client(running.base, token);
      expect(await statuses(() => shortly.get("/pets/1"))).toEqual([200, 200, 200, 200]);
      clock.advance(hourMs / 2);
      expect(await statuses(() => shortly.get("/pets/1"))).toEqual([401, 401, 401, 401]);
      expect(await statuses(() => running.client.get("/pets/1"))).toEqual([200, 200, 200, 200]);
      clock.advance(hourMs / 2);
      expect(await statuses(() => running.client.get("/pets/1"))).toEqual([410, 410, 410, 410]);
    } finally {
      await running.stop();
    }
  });

  test("counts against the quota, and as a use of the key", async () => {
    const limited = await startCounting({ PETSTORE_RATE_LIMIT: "5/3600" });
    try {
      const asked = await statuses(() => limited.running.client.get("/pets/1"), 6);
      expect(asked).toEqual([200, 200, 200, 200, 429, 429]);
    } finally {
      await limited.running.stop();
    }
    const { running, clock } = await startCounting();
    try {
      await statuses(() => running.client.get("/pets/1"), 6);
      clock.advance(60_000);
      await running.stores.ready();
      const uses = await running.stores.keys.listUses();
      expect(uses.find(({ operation }) => operation === "getPet")?.count).toBe(6);
      expect(running.logged().match(/"operation":"getPet","status":200/g)).toHaveLength(6);
    } finally {
      await running.stop();
    }
  });

  test("is for the address it was asked at: its links lead back there", async () => {
    const { running } = await startCounting();
    try {
      const at = async (host: string) =>
        (await running.client.get("/pets/1", { headers: { host } })).headers.get("link") ?? "";
      for (let n = 0; n < 4; n++) {
        expect(await at("one.test")).toContain("<http://one.test/v1/pets?id=1>");
        expect(await at("two.test")).toContain("<http://two.test/v1/pets?id=1>");
      }
    } finally {
      await running.stop();
    }
  });
});

test("where the store cannot say whether an answer stands, it is refused and not asked again", async () => {
  let asked = 0;
  let away = false;
  const running = await startTestService({
    async openStores(_options, usual) {
      const stores = await usual();
      const { catalogue } = stores;
      const failing = {
        add: catalogue.add.bind(catalogue),
        update: catalogue.update,
        delete: catalogue.delete,
        count: catalogue.count.bind(catalogue),
        list: catalogue.list.bind(catalogue),
        import: catalogue.import.bind(catalogue),
        get: (id: bigint) => {
          asked++;
          return catalogue.get(id);
        },
        changes: catalogue.changes,
        revision: async () => {
          if (away) throw new Problem("store_unavailable");
          return catalogue.revision();
        },
      };
      const revisions = () => ({ ...stores.revisions(), exact: false });
      return { ...stores, catalogue: failing, revisions };
    },
  });
  try {
    const { client } = running;
    await client.post("/pets", { name: "Ada", categoryId: 1 });
    for (let n = 0; n < 3; n++) expect((await client.get("/pets/1")).status).toBe(200);
    expect(asked).toBe(2);
    away = true;
    const { status, headers, body } = await client.get("/pets/1");
    expect([status, body]).toMatchObject([503, { code: "store_unavailable" }]);
    expect(headers.get("retry-after")).not.toBeNull();
    expect(headers.get("link")).toContain('/pets?id=1>; rel="successor-version"');
    expect(asked).toBe(2);
    away = false;
    expect((await client.get("/pets/1")).status).toBe(200);
    expect(asked).toBe(2);
  } finally {
    await running.stop();
  }
});
