import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

const ofEachAnswer = ["date", "x-request-id"];

/** Every question is asked twice before the change, so that an answer could have been kept. */
describeOnEngines("an answer that was given before", (engine) => {
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

  test("is not for another key, nor for one without the scope", async () => {
    const id = await add("Ivy");
    await askedTwice(`/pets/${id}`);
    const { token } = await running.newKey({ scopes: ["orders:read"] });
    const sent = (authorization: string) =>
      client.send("GET", `/pets/${id}`, { headers: { authorization } });
    expect((await sent(`Bearer ${token}`)).status).toBe(403);
    expect((await sent("Bearer pet_live_nobody")).status).toBe(401);
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
