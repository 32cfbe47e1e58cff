import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { rawExchange } from "../end-to-end/rawHttp.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("HTTP", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
    await client.post("/pets", { name: "Bella", categoryId: 3 });
  });
  afterAll(() => running.stop());

  describe("paths and methods", () => {
    for (const path of [
      "/nothing",
      "/pets/",
      "/pets/1/",
      "/pets//1",
      "//pets",
      "/Pets",
      "/pets/1/toys",
      "",
      "/",
      "/pets%2F1",
      "/openapi.yaml",
      "/v1/pets",
    ]) {
      test(`${path === "" ? "the base address itself" : path} is 404 path_not_found`, async () => {
        const seen = await client.get(path);
        expect(seen.body).toMatchObject({ code: "path_not_found", status: 404 });
      });
    }

    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      test(`${method} is 405 with what is allowed`, async () => {
        const pets = await client.send(method, "/pets");
        expect(pets.body).toMatchObject({ code: "method_not_allowed", status: 405 });
        expect(pets.headers.get("allow")).toBe("GET, HEAD, POST");
        const orders = await client.send(method, "/store/orders/1");
        expect(orders.headers.get("allow")).toBe("GET, HEAD");
      });
    }

    test("POST on one pet is 405", async () => {
      const seen = await client.post("/pets/1", {});
      expect([seen.status, seen.headers.get("allow")]).toEqual([405, "GET, HEAD, PATCH, DELETE"]);
    });

    test("HEAD answers as GET does, without the body and with its length", async () => {
      await client.post("/pets", { name: "Zoë 🐈", categoryId: 3 });
      for (const path of ["/pets", "/pets?limit=1", "/pets/1", "/pets/99", "/pets?limit=0"]) {
        const got = await client.get(path);
        const head = await client.send("HEAD", path);
        expect(head.status).toBe(got.status);
        expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(got.text)));
        for (const name of ["content-type", "cache-control", "link", "deprecation", "sunset"]) {
          expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
        }
      }
    });
  });

  describe("request ids", () => {
    test("one that the client sends comes back and stands in the log", async () => {
      const seen = await client.get("/pets", { headers: { "x-request-id": "from-the-client-1" } });
      expect(seen.headers.get("x-request-id")).toBe("from-the-client-1");
      const line = running
        .logged()
        .split("\n")
        .find((text) => text.includes("from-the-client-1"));
      expect(JSON.parse(line ?? "")).toMatchObject({
        event: "request.completed",
        id: "from-the-client-1",
        operation: "listPets",
        status: 200,
      });
    });

    test("one that cannot be repeated safely is replaced", async () => {
      for (const given of ["with space", "x".repeat(129), "ümlaut"]) {
        const seen = await client.get("/nothing", { headers: { "x-request-id": given } });
        expect(seen.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
      }
    });

    test("two errors have two ids", async () => {
      const first = (await client.get("/nothing")).headers.get("x-request-id");
      expect((await client.get("/nothing")).headers.get("x-request-id")).not.toBe(first);
    });
  });

  describe("pages on other origins", () => {
    const origin = { origin: "https://app.example.com" };

    test("may read answers and our headers, with no credentials of the browser's", async () => {
      for (const path of ["/pets", "/pets/1", "/pets/99", "/nothing", "/openapi.json"]) {
        const seen = await client.get(path, { headers: origin });
        expect(seen.headers.get("access-control-allow-origin")).toBe("*");
        expect(seen.headers.get("access-control-allow-credentials")).toBeNull();
        const exposed = seen.headers.get("access-control-expose-headers")?.split(", ");
        expect(exposed).toEqual(
          expect.arrayContaining([
            "Link",
            "Location",
            "Deprecation",
            "Sunset",
            "X-Request-Id",
            "Retry-After",
          ]),
        );
      }
    });

    test("answers to others carry none of it, but for the contract, which caches may share", async () => {
      expect((await client.get("/pets")).headers.get("access-control-allow-origin")).toBeNull();
      const contract = await fetch(`${running.base}/openapi.json`);
      expect(contract.headers.get("access-control-allow-origin")).toBe("*");
      expect(contract.headers.get("cache-control")).toBe("public, max-age=60");
    });

    test("an OPTIONS that is no preflight is a method like any other", async () => {
      const response = await fetch(`${running.base}/pets`, { method: "OPTIONS", headers: origin });
      expect(response.status).toBe(401);
    });

    test("a preflight needs no key and allows what the contract needs", async () => {
      const response = await fetch(`${running.base}/pets`, {
        method: "OPTIONS",
        headers: {
          ...origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type",
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-allow-methods")).toBe(
        "GET, HEAD, POST, PATCH, DELETE",
      );
      expect(response.headers.get("access-control-allow-headers")).toBe(
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id",
      );
      expect(response.headers.get("access-control-max-age")).toBe("7200");
    });
  });

  // It is refused before any database is asked.
  if (engine.first) {
    describe("hostile HTTP", () => {
      const { parse } = JSON;
      const head = (path = "/v1/pets") =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.token}\r\n`;

      test("the service answers after each of these, and none gives a 5xx", async () => {
        const length = "a".repeat(20_000);
        const bodies = [
          `${head()}X: ${length}\r\n\r\n`,
          `${head(`/v1/${length}`)}\r\n`,
          "GET\r\n\r\n",
          "\r\n\r\n",
          "\0\0\0\0",
          "GET /v1/pets\r\n\r\n",
          "GET /v1/pets HTTP/9.9\r\n\r\n",
          "BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
          `${head()}Content-Length: -1\r\n\r\n`,
          `${head()}Content-Length: 5, 6\r\n\r\nhello`,
          `${head()}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
          `${head()}Transfer-Encoding: chunked, chunked\r\n\r\n`,
          `${head("/v1/../../../etc/passwd")}\r\n`,
          `${head("/docs/guide/..%2f..%2fpackage.json")}\r\n`,
          `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
        ];
        for (const bytes of bodies) {
          const answer = await rawExchange(running.service.port, bytes);
          expect([bytes.slice(0, 60), /^HTTP\/1.1 5(?!05)/.test(answer)]).toEqual([
            bytes.slice(0, 60),
            false,
          ]);
          expect((await client.get("/pets/1")).status).toBe(200);
        }
      });

      test("a Host header that is no host is refused, so that no address is made of it", async () => {
        for (const host of ["][", "a/v1/pets?", "x y", "a@b", ""]) {
          const answer = await rawExchange(
            running.service.port,
            `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${running.token}\r\n\r\n`,
          );
          expect(answer).toStartWith("HTTP/1.1 400");
          expect(answer).toContain('"code":"request_malformed"');
        }
      });

      test("an oversized body that is announced is refused before it is sent", async () => {
        const answer = await rawExchange(
          running.service.port,
          `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.token}\r\nContent-Type: application/json\r\nContent-Length: 70000\r\n\r\n{`,
        );
        expect(answer).toStartWith("HTTP/1.1 413");
        expect(parse(answer.slice(answer.indexOf("{")))).toMatchObject({
          code: "body_too_large",
          status: 413,
        });
      });

      test("a body that never ends is cut off", async () => {
        const chunk = `2000\r\n${"x".repeat(0x2000)}\r\n`;
        const answer = await rawExchange(
          running.service.port,
          `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(12)}`,
        );
        expect(answer).toStartWith("HTTP/1.1 413");
      });

      test("a client that leaves in the middle of its body is forgotten", async () => {
        const answer = await rawExchange(
          running.service.port,
          `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"name":`,
          { leave: true },
        );
        expect(answer).toBe("");
        expect((await client.get("/pets/1")).status).toBe(200);
        expect(running.logged().includes('"level":"error"')).toBe(false);
      });
    });
  }
});
