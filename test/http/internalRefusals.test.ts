/** What the API of the dashboard refuses, and that nothing happens then. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isOwnOrigin } from "../../src/http/platform/authentication.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import {
  type InternalApiFixture,
  openInternalApiFixture,
  origin,
} from "./internal/internalApiFixture.ts";

describeOnEngines("refusals of the internal API", (engine) => {
  let fixture: InternalApiFixture;
  beforeAll(async () => {
    fixture = await openInternalApiFixture(engine);
  });
  afterAll(() => fixture.close());

  const domains = "/projects/shop/domains";
  const docs = `${domains}/docs.example.com`;
  const add = (host: string) => fixture.ask("POST", domains, { body: { host } });

  describe("where a page is from", () => {
    test.each([
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin },
      { origin: "https://evil.example" },
      { origin: "http://petstore.test" },
      { origin: "http://shop.petstore.test:8080" },
      { origin: "null" },
      { origin: "" },
    ])("%p is refused before anything else", async (headers) => {
      for (const as of [fixture.tokens.shop, ""]) {
        const { status, body } = await fixture.ask("POST", domains, {
          as,
          headers: headers as Record<string, string>,
          body: { host: "docs.example.com" },
        });
        expect([status, body.code]).toEqual([403, "forbidden"]);
      }
      expect((await fixture.ask("GET", domains)).body.items).toEqual([]);
    });

    test.each([
      { "sec-fetch-site": "same-origin", origin },
      { "sec-fetch-site": "none" },
      { origin },
      { origin: "https://petstore.test:8080" },
      { origin: "https://api.petstore.test" },
      {},
    ])("%p is our own, or no page", async (headers) => {
      const own = { headers: headers as Record<string, string> };
      const { status, headers: answered } = await fixture.ask("GET", "/projects", own);
      expect(status).toBe(200);
      expect(answered.get("access-control-allow-origin")).toBeNull();
    });
  });

  describe("what is sent wrongly", () => {
    test.each([
      ["no JSON", "{", 400, "body_unreadable"],
      ["a list", [], 400, "body_invalid"],
      ["null", "null", 400, "body_invalid"],
      ["no host", {}, 400, "body_invalid"],
      ["a number", { host: 7 }, 400, "body_invalid"],
      ["prove as a word", { host: "docs.example.com", prove: "yes" }, 400, "body_invalid"],
      ["a stranger", { host: "docs.example.com", owner: "rival" }, 400, "body_invalid"],
      ["an address", { host: "https://docs.example.com/" }, 400, "host_invalid"],
      ["the platform's", { host: "docs.platform.test" }, 400, "host_invalid"],
      ["too much", { host: "a".repeat(65_536) }, 413, "body_too_large"],
    ])("%s is refused by name", async (_what, body, status, code) => {
      const refused = await fixture.ask("POST", domains, { body });
      expect(refused.body).toEqual({ code, message: expect.any(String), status });
      expect(refused.status).toBe(status);
      expect((await fixture.ask("GET", domains)).body.items).toEqual([]);
    });

    test("another media type is refused", async () => {
      const headers = { "content-type": "text/plain" };
      const { status } = await fixture.ask("POST", domains, {
        headers,
        body: { host: "a.example" },
      });
      expect(status).toBe(415);
    });

    test.each(["", "/", "/project", "/projects/", "/projects//domains", `${docs}/`, "/%ff/x"])(
      "nothing is at %p",
      async (path) => {
        const { status, body } = await fixture.ask("GET", path);
        expect([status, body.code]).toEqual([404, "path_not_found"]);
      },
    );

    test.each([
      ["DELETE", "/projects", "GET, POST"],
      ["PUT", domains, "GET, POST"],
      ["GET", `${docs}/verify`, "POST"],
      ["PATCH", "/projects/shop/routing", "GET, PUT"],
    ])("%s %s is not allowed", async (method, path, allow) => {
      const { status, headers, body } = await fixture.ask(method, path);
      expect([status, headers.get("allow"), body.code]).toEqual([405, allow, "method_not_allowed"]);
    });

    test("an owner without the paid plan, or with nothing deployed, is told so", async () => {
      await fixture.stores.sites.setPlan("shop", "free");
      expect((await add("docs.example.com")).body).toMatchObject({
        code: "plan_required",
        status: 402,
      });
      await fixture.stores.sites.setPlan("shop", "paid");
      await fixture.stores.sites.unpublish("shop");
      expect((await add("docs.example.com")).body).toMatchObject({
        code: "deployment_required",
        status: 409,
      });
    });
  });

  test("where the Host is garbage, no origin is our own", () => {
    for (const given of ["null", "", "evil", "https://evil.example"]) {
      expect(isOwnOrigin({ header: (name) => (name === "origin" ? given : undefined) }, [""])).toBe(
        false,
      );
    }
  });
});
