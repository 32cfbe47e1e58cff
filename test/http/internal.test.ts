/** The API of the dashboard: who may ask what, and what comes back. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { deployIn } from "../store/domainSamples.ts";
import { type InternalApiFixture, openInternalApiFixture } from "./internal/internalApiFixture.ts";

describeOnEngines("the internal API", (engine) => {
  let fixture: InternalApiFixture;
  beforeEach(async () => {
    fixture = await openInternalApiFixture(engine);
  });
  afterEach(() => fixture.close());

  const domains = "/projects/shop/domains";
  const docs = `${domains}/docs.example.com`;
  const add = (host: string) => fixture.ask("POST", domains, { body: { host } });

  describe("who asks", () => {
    test.each([
      ["nothing", ""],
      ["a word", "sesame"],
      ["an API key's form", `pet_live_${"a".repeat(38)}`],
      ["a token with a slip", "slip"],
    ])("with %s is unauthorized, on unknown paths too", async (_what, as) => {
      const slip = fixture.tokens.shop.replace(/.$/, (last) => (last === "a" ? "b" : "a"));
      for (const path of ["/projects", "/nothing"]) {
        const { status, body, headers } = await fixture.ask("GET", path, {
          as: as === "slip" ? slip : as,
        });
        expect(body).toEqual({ code: "unauthorized", message: expect.any(String), status: 401 });
        expect(status).toBe(401);
        expect(headers.get("www-authenticate")).toStartWith("Bearer");
        expect(headers.get("cache-control")).toBe("no-store");
      }
    });

    test("with a revoked token is unauthorized from then on", async () => {
      expect((await fixture.ask("GET", "/projects")).status).toBe(200);
      await fixture.stores.access.revoke(fixture.ids.shop, fixture.clock.now());
      expect((await fixture.ask("GET", "/projects")).status).toBe(401);
    });

    test("an owner sees the domains of their own projects, the operator all", async () => {
      await add("docs.example.com");
      await add("www.example.com");
      const body = { host: "docs.rival.test" };
      await fixture.ask("POST", "/projects/rival/domains", { as: fixture.tokens.rival, body });
      const seen = async (as: string, query = "") =>
        (await fixture.ask("GET", `/domains${query}`, { as })).body.items.map(
          ({ project, host }: { project: string; host: string }) => `${project} ${host}`,
        );
      const { shop, rival, operator } = fixture.tokens;
      const own = ["shop docs.example.com", "shop www.example.com"];
      expect(await seen(shop)).toEqual(own);
      expect(await seen(operator)).toEqual(["rival docs.rival.test", ...own]);
      expect(await seen(rival, "?host=docs.example.com")).toEqual([]);
      expect(await seen(shop, "?host=docs.rival.test")).toEqual([]);
      await fixture.ask("DELETE", docs);
      expect(await seen(shop)).toEqual(["shop www.example.com"]);
      expect(await seen(shop, "?host=DOCS.example.com")).toEqual(["shop docs.example.com"]);
      const bad = await fixture.ask("GET", "/domains?host=no_host");
      expect(bad.body.code).toBe("host_invalid");
      expect((await fixture.ask("GET", "/edges")).body).toEqual({ edges: 0, edgesBehind: [] });
    });

    test("an owner sees their own projects, the operator all", async () => {
      const slugs = async (as: string) =>
        (await fixture.ask("GET", "/projects", { as })).body.map(
          ({ slug }: { slug: string }) => slug,
        );
      expect(await slugs(fixture.tokens.shop)).toEqual(["shop"]);
      expect(await slugs(fixture.tokens.rival)).toEqual(["rival"]);
      expect(await slugs(fixture.tokens.operator)).toEqual(["rival", "shop"]);
      const { body } = await fixture.ask("GET", "/projects");
      expect(body).toEqual([
        {
          slug: "shop",
          owner: "shop",
          plan: "paid",
          createdAt: "2026-11-15T12:00:00.000Z",
          current: "dep_shop",
          address: "http://shop.localhost:8080/",
        },
      ]);
    });

    test.each([
      ["GET", domains],
      ["POST", domains],
      ["GET", docs],
      ["DELETE", docs],
      ["POST", `${docs}/verify`],
      ["POST", `${docs}/move`],
      ["PUT", `${docs}/hsts`],
      ["GET", `${docs}/events`],
      ["GET", "/projects/shop/routing"],
      ["PUT", "/projects/shop/routing"],
    ])("%s %s of another owner looks like a project that is not there", async (method, path) => {
      await add("docs.example.com");
      const added = path.endsWith("/move") ? { project: "rival" } : { host: "www.example.com" };
      const put = path.endsWith("/hsts") ? { hsts: "off" } : { redirects: [] };
      const body = { PUT: put, POST: added }[method];
      const asked = { as: fixture.tokens.rival, body };
      const theirs = await fixture.ask(method, path, asked);
      const nobodys = await fixture.ask(method, path.replace("shop", "none"), asked);
      expect([theirs.status, theirs.body.code]).toEqual([404, "project_not_found"]);
      expect(nobodys.body).toEqual({
        ...theirs.body,
        message: theirs.body.message.replace("shop", "none"),
      });
      expect((await fixture.ask("GET", domains)).body.items).toHaveLength(1);
    });
  });

  describe("a domain", () => {
    test("is added, with the record to create", async () => {
      const { status, body, headers } = await add("Docs.Example.com.");
      expect(status).toBe(201);
      expect(headers.get("location")).toBe("/internal/v1/projects/shop/domains/docs.example.com");
      expect(body).toMatchObject({
        host: "docs.example.com",
        project: "shop",
        status: "pending_dns",
        step: "dns",
        role: { kind: "site" },
        records: [
          {
            type: "CNAME",
            name: "docs",
            fullName: "docs.example.com",
            value: expect.stringMatching(/^edge-[0-9a-f]{20}\.sites\.platform\.test$/),
            ttlSeconds: 3600,
          },
        ],
        findings: [],
        certificate: null,
        addedAt: "2026-11-15T12:00:00.000Z",
        checkedAt: null,
        retryAt: null,
      });
      const shown = await fixture.ask("GET", docs);
      expect(shown.body).toEqual(body);
      expect(shown.body.timeline).toMatchObject([{ event: "added", at: body.addedAt }]);
      expect((await fixture.ask("GET", domains)).body).toMatchObject({
        items: [{ host: "docs.example.com" }],
        nextCursor: null,
      });
    });

    test("is found in pages, by part of the name and by status", async () => {
      for (const name of ["b", "a", "d", "c", "e"]) await add(`${name}.example.com`);
      await add("bücher.example.net");
      const seen = async (query: string) => {
        const { body } = await fixture.ask("GET", `${domains}?${query}`);
        const hosts = body.items.map(({ host }: { host: string }) => host.split(".")[0]);
        return { hosts: hosts.join(" "), next: body.nextCursor };
      };
      const first = await seen("limit=2");
      expect(first).toEqual({ hosts: "a b", next: expect.any(String) });
      const second = await seen(`limit=4&cursor=${first.next}`);
      expect(second).toEqual({ hosts: "c d e xn--bcher-kva", next: null });
      expect((await seen("search=EXAMPLE.com&limit=5")).hosts).toBe("a b c d e");
      expect((await seen(`search=${encodeURIComponent("büch")}`)).hosts).toBe("xn--bcher-kva");
      expect((await seen("search=%25")).hosts).toBe("");
      expect((await seen("search=_.example")).hosts).toBe("");
      expect((await seen("status=live&status=misconfigured")).hosts).toBe("");
      const waiting = await seen("status=live&status=pending_dns&limit=5");
      expect(waiting).toEqual({ hosts: "a b c d e", next: expect.any(String) });
      const rest = await seen(`status=pending_dns&limit=5&cursor=${waiting.next}`);
      expect(rest).toEqual({ hosts: "xn--bcher-kva", next: null });
      for (const query of ["status=lively", "limit=0", "limit=201", "cursor=docs", "sort=age"]) {
        const refused = await fixture.ask("GET", `${domains}?${query}`);
        expect([refused.status, refused.body.code]).toEqual([400, "parameter_invalid"]);
      }
    });

    test("is added together with its www name, which redirects to it", async () => {
      const body = { host: "example.com", withWww: true };
      expect((await fixture.ask("POST", domains, { body })).body.host).toBe("example.com");
      const www = await fixture.ask("GET", `${domains}/www.example.com`);
      expect(www.body.role).toMatchObject({ kind: "redirect", to: "example.com", status: 301 });
      const again = await fixture.ask("POST", domains, {
        body: { host: "docs.example.com", withWww: true },
      });
      expect([again.status, again.body.code]).toEqual([400, "host_invalid"]);
    });

    test("has a policy of HTTPS, which its owner chooses", async () => {
      expect((await add("docs.example.com")).body.hsts).toBe("day");
      const { status, body } = await fixture.ask("PUT", `${docs}/hsts`, { body: { hsts: "year" } });
      expect([status, body.hsts]).toEqual([200, "year"]);
      for (const bad of [{ hsts: "on" }, {}, { hsts: null }]) {
        const refused = await fixture.ask("PUT", `${docs}/hsts`, { body: bad });
        expect([refused.status, refused.body.code]).toEqual([400, "body_invalid"]);
      }
      expect((await fixture.ask("GET", docs)).body.hsts).toBe("year");
    });

    test("moves to another project of its owner, and is there at once", async () => {
      const { sites } = fixture.stores;
      await sites.addProject({ slug: "blog", ownerId: "shop", nowMs: fixture.clock.now() });
      await add("docs.example.com");
      const move = (project: string) => fixture.ask("POST", `${docs}/move`, { body: { project } });
      expect((await move("blog")).body.code).toBe("deployment_required");
      await deployIn(fixture.stores, "blog", "dep_blog");
      expect((await move("rival")).body.code).toBe("project_not_found");
      const { status, body } = await move("blog");
      expect([status, body.project, body.timeline[0].event]).toEqual([200, "blog", "moved"]);
      expect((await fixture.ask("GET", docs)).status).toBe(404);
      const there = await fixture.ask("GET", "/projects/blog/domains");
      expect(there.body.items).toMatchObject([{ host: "docs.example.com" }]);
    });

    test("that another owner claims can be claimed too, with a record of its own", async () => {
      const [first] = (await add("docs.example.com")).body.records;
      const as = fixture.tokens.rival;
      const body = { host: "docs.example.com" };
      const claim = await fixture.ask("POST", "/projects/rival/domains", { as, body });
      expect([claim.status, claim.body.proven]).toEqual([201, false]);
      expect(claim.body.records).toMatchObject([{ type: "CNAME", name: "docs" }]);
      expect(claim.body.records[0].value).not.toBe(first.value);
      expect(JSON.stringify(claim.body)).not.toContain("shop");
    });

    test.each(["prepare", "proxied"])("can be %s, and its address is told last", async (how) => {
      const body = { host: "docs.example.com", [how]: true };
      const added = await fixture.ask("POST", "/projects/shop/domains", { body });
      expect([added.status, added.body.records]).toEqual([201, []]);
      expect(added.body.status).toBe("pending_dns");
    });

    test("is asked to be checked, and not twice in a hurry", async () => {
      await add("docs.example.com");
      const first = await fixture.ask("POST", `${docs}/verify`);
      expect([first.status, first.body.nextAt]).toEqual([202, "2026-11-15T12:00:00.000Z"]);
      const second = await fixture.ask("POST", `${docs}/verify`);
      expect([second.status, second.body.code]).toEqual([429, "verify_too_soon"]);
      expect(second.headers.get("retry-after")).toBe("10");
      fixture.clock.advance(10_000);
      expect((await fixture.ask("POST", `${docs}/verify`)).status).toBe(202);
    });

    test("that is primary is removed only with a confirmation", async () => {
      await add("docs.example.com");
      const routing = { primary: "docs.example.com", redirects: [] };
      await fixture.ask("PUT", "/projects/shop/routing", { body: routing });
      for (const query of ["", "?confirm=false"]) {
        const refused = await fixture.ask("DELETE", `${docs}${query}`);
        expect([refused.status, refused.body.code]).toEqual([409, "confirmation_needed"]);
      }
      for (const query of ["?confirm=yes", "?confirm=true&confirm=true", "?confirm="]) {
        const refused = await fixture.ask("DELETE", `${docs}${query}`);
        expect([refused.status, refused.body.code]).toEqual([400, "parameter_invalid"]);
      }
      await fixture.stores.edgeView.reportEdge({
        id: "edge-a",
        address: "127.0.0.1",
        httpPort: 80,
        revision: 0,
        seenAtMs: fixture.clock.now(),
      });
      const { status, body } = await fixture.ask("DELETE", `${docs}?confirm=true`);
      expect(status).toBe(200);
      expect(body).toEqual({
        host: "docs.example.com",
        removedAt: "2026-11-15T12:00:00.000Z",
        edges: 1,
        edgesBehind: ["edge-a"],
      });
      expect((await fixture.ask("GET", domains)).body.items).toEqual([]);
      expect((await fixture.ask("GET", "/projects/shop/routing")).body.primary).toBeNull();
    });

    test("is found by its name as people write it", async () => {
      await add("doku.münchen.example");
      const path = `${domains}/${encodeURIComponent("doku.münchen.example")}`;
      const { body } = await fixture.ask("GET", path);
      expect([body.host, body.unicodeHost]).toEqual([
        "doku.xn--mnchen-3ya.example",
        "doku.münchen.example",
      ]);
    });
  });

  describe("the routing", () => {
    const path = "/projects/shop/routing";
    const routing = {
      primary: "docs.example.com",
      redirects: [{ from: "www.example.com", to: "docs.example.com", status: 308 }],
    };

    test("is taken whole or not at all, and every fault is named", async () => {
      await add("docs.example.com");
      const first = (await fixture.ask("GET", path)).body;
      expect(first).toEqual({ primary: null, redirects: [], version: expect.any(Number) });
      const refused = await fixture.ask("PUT", path, { body: routing });
      expect([refused.status, refused.body.code]).toEqual([400, "routing_invalid"]);
      expect(refused.body.message).toContain("www.example.com is not attached");
      expect((await fixture.ask("GET", path)).body.primary).toBeNull();
      await add("www.example.com");
      const { body: saved } = await fixture.ask("PUT", path, { body: { ...first, ...routing } });
      expect(saved).toEqual({ ...routing, version: expect.any(Number) });
      expect((await fixture.ask("GET", path)).body).toEqual(saved);
      for (const version of [first.version, "1", saved.version + 1]) {
        const late = await fixture.ask("PUT", path, { body: { ...routing, version } });
        expect([late.status, late.body.code]).toEqual([409, "changed_meanwhile"]);
      }
      for (const body of [[], 7]) {
        const { status, body: refusal } = await fixture.ask("PUT", path, { body });
        expect([status, refusal.code]).toEqual([400, "routing_invalid"]);
      }
      expect((await fixture.ask("GET", path)).body).toEqual(saved);
      expect((await fixture.ask("PUT", path, { body: routing })).status).toBe(200);
      expect((await fixture.ask("GET", `${domains}/www.example.com`)).body.role).toEqual({
        kind: "redirect",
        to: "docs.example.com",
        status: 308,
        held: true,
      });
    });
  });

  describe("a fault of ours", () => {
    test("is answered with nothing of it, and logged with its cause", async () => {
      fixture.stores.domains.page = () => {
        throw new Error("the cellar is flooded");
      };
      const { status, body, headers } = await fixture.ask("GET", domains);
      expect([status, body.code]).toEqual([500, "internal"]);
      expect(JSON.stringify(body)).not.toContain("cellar");
      const [line] = fixture
        .logged()
        .split("\n")
        .filter((text) => text.includes("request.failed"));
      expect(line).toContain("the cellar is flooded");
      expect(line).toContain(headers.get("x-request-id") as string);
    });

    test("no token is in the log", async () => {
      await fixture.ask("GET", `/projects?token=${fixture.tokens.shop}`);
      await add("docs.example.com");
      expect(fixture.logged()).toContain("request.completed");
      expect(fixture.logged()).toContain("owner shop");
      expect(fixture.logged()).not.toContain(fixture.tokens.shop.slice(10, 30));
    });
  });
});
