import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("outside the API", (engine) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({
      engine,
      variables: { PETSTORE_BASE_URL: "https://api.example.com/v1" },
    });
  });
  afterAll(() => running.stop());

  const get = (path: string, method = "GET") => fetch(running.origin + path, { method });

  describe("beside the API", () => {
    test("the contract is public, with this installation's addresses, and only to be read", async () => {
      const response = await get("/v1/openapi.json");
      expect(response.headers.get("content-type")).toBe("application/json");
      const contract = (await response.json()) as { openapi: string; servers: { url: string }[] };
      expect(contract.openapi).toStartWith("3.1");
      expect(contract.servers.map(({ url }) => url)).toEqual([
        "https://api.example.com/v1",
        "http://localhost:8081/v1",
      ]);
      const refused = await get("/v1/openapi.json", "POST");
      expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    });

    test("the documentation is shown with a policy that loads nothing from elsewhere", async () => {
      const page = await get("/docs/");
      expect([page.status, page.headers.get("content-type")]).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
      expect(page.headers.get("content-security-policy")).toStartWith("default-src 'self';");
      expect(await page.text()).toContain("<h1");
      for (const path of ["/docs", "/docs/guide/keys", "/docs/errors/pet_not_found"]) {
        const moved = await fetch(running.origin + path, { redirect: "manual" });
        expect([path, moved.status, moved.headers.get("location")]).toEqual([
          path,
          308,
          `${path}/`,
        ]);
      }
    });

    test("what a browser holds is not sent again, and text is compressed for whoever takes it", async () => {
      const ask = (headers: Record<string, string>) =>
        fetch(`${running.origin}/docs/`, { headers });
      const plain = await ask({ "accept-encoding": "identity" });
      const packed = await ask({ "accept-encoding": "br, gzip" });
      expect([
        plain.headers.get("content-encoding"),
        packed.headers.get("content-encoding"),
      ]).toEqual([null, "gzip"]);
      expect(await packed.text()).toBe(await plain.text());
      for (const [{ headers }, accepted] of [
        [plain, "identity"],
        [packed, "gzip"],
      ] as const) {
        const held = { "if-none-match": headers.get("etag") ?? "", "accept-encoding": accepted };
        expect((await ask(held)).status).toBe(304);
      }
      expect(packed.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    });

    test("a part of a file is served like that of a site", async () => {
      const headers = { "accept-encoding": "identity", range: "bytes=0-14" };
      const part = await fetch(`${running.origin}/docs/`, { headers });
      expect([part.status, await part.text()]).toEqual([206, "<!doctype html>"]);
    });

    test("every page has its Markdown beside it, and nothing else of the disk is served", async () => {
      const page = await get("/docs/errors/pet_not_found.md");
      expect(page.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(await page.text()).toBe(
        readFileSync(new URL("../../docs/errors/pet_not_found.md", import.meta.url), "utf8"),
      );
      const none = [
        "/docs/errors/none.md",
        "/docs/guide/../../package.json",
        "/docs/guide/%2e%2e/%2e%2e/package.json",
        "/package.json",
        "/docs/decisions/README.md",
        "/nothing",
      ];
      for (const path of none) expect([path, (await get(path)).status]).toEqual([path, 404]);
      expect(await (await get("/docs/nowhere")).text()).toContain("<h1");
    });

    test("the landing page tells the base address and the first call", async () => {
      const text = await (await get("/")).text();
      expect(text).toContain("Bearer $API_KEY");
      expect(text).toContain(`${running.origin}/v1/openapi.json`);
    });

    test("no cache stores what has no validator to ask with", async () => {
      for (const path of ["/", "/healthz"]) {
        const { headers } = await get(path);
        expect([path, headers.get("etag")]).toEqual([path, null]);
        expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
      }
    });

    test("only GET and HEAD are taken", async () => {
      const response = await get("/healthz", "POST");
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      expect((await get("/healthz", "HEAD")).status).toBe(200);
    });

    test("paths that only begin like the API are not the API", async () => {
      expect((await get("/v1x/pets")).status).toBe(404);
      expect((await get("/v10")).status).toBe(404);
    });
  });

  describe("metrics", () => {
    const scrape = async () =>
      (await fetch(`http://127.0.0.1:${running.service.metricsPort}/metrics`)).text();
    const value = (text: string, series: string) =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${series} `))
          ?.split(" ")[1] ?? Number.NaN,
      );

    test("count requests by operation and status, time them, and tell commits and size", async () => {
      const commits = (text: string) => value(text, "petstore_commit_writes_count");
      const before = await scrape();
      for (const name of ["A", "B"]) await running.client.post("/pets", { name, categoryId: 1 });
      await running.client.get("/pets/1");
      await running.client.get("/pets/1");
      await running.client.get("/pets/3");
      await running.client.get("/nothing");
      const text = await scrape();
      expect(value(text, 'petstore_requests_total{operation="getPet",status="200"}')).toBe(2);
      expect(value(text, 'petstore_requests_total{operation="getPet",status="404"}')).toBe(1);
      expect(value(text, 'petstore_requests_total{operation="createPet",status="201"}')).toBe(2);
      expect(value(text, 'petstore_requests_total{operation="none",status="404"}')).toBe(1);
      expect(value(text, 'petstore_request_duration_seconds_count{operation="getPet"}')).toBe(3);
      expect(
        value(text, 'petstore_request_duration_seconds_bucket{le="+Inf",operation="getPet"}'),
      ).toBe(3);
      expect(commits(text) - commits(before)).toBeGreaterThanOrEqual(2);
      expect(value(text, "petstore_commit_duration_seconds_sum")).toBeGreaterThan(0);
      expect(value(text, 'petstore_store_bytes{part="database"}')).toBeGreaterThan(0);
      expect(value(text, "process_resident_memory_bytes")).toBeGreaterThan(0);
    });

    test("are not reached through the API's port, and nothing else through theirs", async () => {
      expect((await get("/metrics")).status).toBe(404);
      expect((await fetch(`http://127.0.0.1:${running.service.metricsPort}/v1/pets`)).status).toBe(
        404,
      );
    });
  });
});
