import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fakeClock } from "../../testkit/fakeClock.ts";
import type { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("getPet", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
    await client.post("/pets", { name: "Bella", categoryId: 3 });
  });
  afterAll(() => running.stop());

  test("returns the pet", async () => {
    const seen = await client.get("/pets/1");
    expect(seen.text).toBe('{"id":1,"name":"Bella","categoryId":3,"status":"available"}');
    expect(seen.headers.get("cache-control")).toBe("private, no-cache");
  });

  const nobody = [
    "2",
    "0",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "abc",
    "01",
    "+1",
    "1.0",
    "1e0",
    "%31",
    "1%00",
    "%zz",
    "%ff",
    "%",
    "1%2F2",
    "null",
    "true",
    "1%20",
    "１",
  ];
  for (const petId of nobody) {
    test(`/pets/${petId} is no pet`, async () => {
      const seen = await client.get(`/pets/${petId}`);
      expect(seen.body).toEqual({
        code: "pet_not_found",
        message: "No pet has this id.",
        status: 404,
      });
    });
  }

  test("parameters it does not know are ignored, and refused when strict", async () => {
    expect((await client.get("/pets/1?full=1")).status).toBe(200);
    const strict = await client.get("/pets/1?full=1", { headers: { prefer: "handling=strict" } });
    expect(strict.status).toBe(400);
  });

  test("says that it is deprecated, until when it works, where to read on and what to call", async () => {
    const { headers } = await client.get("/pets/1");
    expect(headers.get("deprecation")).toBe(`@${Date.UTC(2026, 10, 1) / 1000}`);
    expect(headers.get("sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT");
    const notice = `<${running.origin}/docs/guide/deprecation.md>`;
    expect(headers.get("link")).toBe(
      `${notice}; rel="deprecation"; type="text/markdown", ${notice}; rel="sunset"; type="text/markdown", <${running.base}/pets?id=1>; rel="successor-version"`,
    );
    expect((await fetch(`${running.origin}/docs/guide/deprecation.md`)).status).toBe(200);
    const successor = await client.get("/pets?id=1");
    expect(successor.text).toBe(`[${(await client.get("/pets/1")).text}]`);
    expect(successor.headers.get("deprecation")).toBeNull();
  });

  const noPets = [
    ...["999", "-1", "0", "9223372036854775807", "9223372036854775808", "-9223372036854775809"],
    ...[
      "abc",
      "01",
      "+1",
      "-0",
      "1.0",
      "1e3",
      "%31%20",
      "%22%3E",
      "%00",
      "..%2F1",
      "1,2",
      "x".repeat(300),
    ],
  ];
  for (const segment of noPets) {
    test(`the 404 of ${segment.slice(0, 30)} leads to a listing without any pet`, async () => {
      const { status, headers } = await client.get(`/pets/${segment}`);
      expect(status).toBe(404);
      const [, successor = ""] =
        /<([^>]+)>; rel="successor-version"$/.exec(headers.get("link") ?? "") ?? [];
      const listing = await client.get(successor.slice(running.base.length));
      expect([successor, listing.status, listing.body]).toEqual([successor, 200, []]);
    });
  }

  describe("getPet at its end", () => {
    test("works up to the last millisecond before 5 December 2030 and answers 410 from then on", async () => {
      const clock = fakeClock(Date.UTC(2030, 11, 4, 23, 59, 59, 999));
      const later = await startTestService({ engine, clock });
      try {
        await later.client.post("/pets", { name: "Bella", categoryId: 3 });
        expect((await later.client.get("/pets/1")).status).toBe(200);
        clock.advance(1);
        const gone = await later.client.get("/pets/1");
        expect(gone.body).toEqual({
          code: "operation_removed",
          message: "getPet was removed on 2030-12-05. Use GET /pets?id={petId}.",
          status: 410,
        });
        expect(gone.headers.get("link")).toContain('rel="successor-version"');
        expect((await later.client.get("/pets/999")).status).toBe(410);
        expect((await later.client.get("/pets?id=1")).status).toBe(200);
        const made = await later.client.post("/pets", { name: "Late", categoryId: 3 });
        expect(made.headers.get("location")).toBe(`${later.base}/pets?id=2`);
      } finally {
        await later.stop();
      }
    });
  });
});
