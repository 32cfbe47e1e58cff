/** The answer itself, without a port, as any server of sites calls for it. */

import { describe, expect, test } from "bun:test";
import { createLog } from "../../src/core/log.ts";
import { Problem } from "../../src/core/problems.ts";
import type { EdgeView } from "../../src/hosting/domains/edgeView.ts";
import { createSiteHosts, withSiteAddresses } from "../../src/hosting/edge/siteAddresses.ts";
import {
  cachedContents,
  type SiteRequest,
  siteResponse,
} from "../../src/hosting/edge/siteResponse.ts";
import { hashOf } from "../../src/hosting/sites/deployment.ts";
import type { SiteContents } from "../../src/hosting/sites/sites.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { requestFrom } from "../http/webMessages.ts";

const page = Buffer.from("<h1>Hello</h1>");

/** One site with one page, in a store that answers at once or later. */
function storeOf(later: boolean): SiteContents {
  const soon = <T>(value: T) => (later ? Promise.resolve(value) : value);
  const file = { path: "index.html", hash: hashOf(page), bytes: page.byteLength, smaller: [] };
  return {
    project: (slug) =>
      soon(
        slug === "acme" ? { slug, ownerId: "ada", createdAtMs: 0, current: "dep_a" } : undefined,
      ),
    file: (id, path) => soon(id === "dep_a" && path === "index.html" ? file : undefined),
    content: (hash, encoding) =>
      soon(hash === file.hash && encoding === "identity" ? page : undefined),
    revision: () => 1,
  };
}

const request = (method: string, path: string): SiteRequest => ({
  method,
  path,
  query: "",
  header: () => undefined,
});

describe.each([false, true])("from a store that answers later: %p", (later) => {
  const store = storeOf(later);
  const answer = (method: string, path: string) =>
    siteResponse(request(method, path), "dep_a", cachedContents(store));

  test("a page comes with its content, which HEAD measures too", async () => {
    const get = await answer("GET", "/");
    expect(get).toMatchObject({ status: 200, body: page });
    expect(await answer("HEAD", "/")).toEqual(get);
  });

  test("what is not there is 404, an address that is none 400, another method 405", async () => {
    expect((await answer("GET", "/none")).status).toBe(404);
    expect((await answer("GET", "http://acme.localhost/")).status).toBe(400);
    expect((await answer("GET", "*")).status).toBe(400);
    expect((await answer("DELETE", "/")).status).toBe(405);
  });

  test("what is not there costs a bounded number of look-ups, however deep its address is", async () => {
    const asked: string[] = [];
    const file: SiteContents["file"] = (_, path) => void asked.push(path);
    const contents = { ...cachedContents(store), file };
    const deep = "/a".repeat(200);
    expect((await siteResponse(request("GET", deep), "dep_a", contents)).status).toBe(404);
    expect(asked.map((path) => path.split("/").length)).toEqual([
      ...[200, 200, 201],
      ...[9, 8, 7, 6, 5, 4, 3, 2, 1],
    ]);
  });

  test("answers at once where the store does", () => {
    expect(answer("GET", "/") instanceof Promise).toBe(later);
  });
});

describe.each([false, true])("when the store fails, later: %p", (later) => {
  const failing = (cause: Error) => {
    let lines = "";
    const log = createLog("info", fakeClock(0), (text) => {
      lines += text;
    });
    const project = () => {
      if (later) return Promise.reject(cause);
      throw cause;
    };
    const store = { ...storeOf(later), project, deployment: () => undefined };
    const sites = createSiteHosts({ sites: store, contents: cachedContents(store), log });
    const request = requestFrom(new Request("http://acme.localhost:8080/"));
    return { visit: () => sites(request), logged: () => lines };
  };

  test("what is out for a moment is 503, to be asked again", async () => {
    const { visit, logged } = failing(new Problem("store_unavailable"));
    const response = await visit();
    expect([response?.status, response?.headers["retry-after"]]).toEqual([503, "2"]);
    expect(logged()).toContain('"event":"site.request_failed"');
  });

  test("a fault of ours is 500, and nothing of it is told", async () => {
    const { visit, logged } = failing(new TypeError("secret detail"));
    const response = await visit();
    expect(response?.status).toBe(500);
    expect(response?.body).not.toContain("secret detail");
    expect(logged()).toContain("secret detail");
  });
});

test("the address of a site leads to the primary domain once its DNS does, and not while it is prepared", async () => {
  const route = { kind: "site", project: "acme", deployment: "dep_a", primary: undefined } as const;
  let prepared: true | undefined = true;
  const primary = "docs.example.com";
  const redirects = [{ from: "acme.sites.example", to: primary, status: 301 as const }];
  const { route: routeOf } = withSiteAddresses({
    view: { route: () => ({ ...route, prepared }) } as unknown as EdgeView,
    sites: { ...storeOf(false), deployment: () => undefined },
    domains: { routing: () => ({ routing: { primary, redirects }, version: 1 }) },
    sitesHost: "sites.example",
  });
  expect(await routeOf("acme.sites.example")).toEqual(route);
  prepared = undefined;
  expect(await routeOf("acme.sites.example")).toMatchObject({ kind: "redirect", to: primary });
});
