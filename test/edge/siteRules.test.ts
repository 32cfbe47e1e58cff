/** The rules of a site on a domain of its own: over TLS, from the cache, and beside challenges. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cachedContents, siteResponse } from "../../src/hosting/edge/siteResponse.ts";
import { hashOf } from "../../src/hosting/sites/deployment.ts";
import type { SiteContents } from "../../src/hosting/sites/sites.ts";
import { getPlain, getSecured, openHttp2, requestHttp2, securedLine } from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

const sites: Record<string, Record<string, string>> = {
  "dep_a.example": {
    _redirects: "/old/* /new/:splat 301\n/shown /index.html 200",
    _headers: "/*\n  X-Site: one\n  Link: </a.css>; rel=preload",
    "index.html": "one",
  },
  later: { _headers: "/*\n  X-Site: two", "index.html": "two" },
  "dep_moved.example": { _redirects: "/* https://new.example/:splat 301!", "index.html": "moved" },
};

/** How often each path of a deployment was looked up. */
const asked: string[] = [];
const contents = cachedContents({
  file(deployment, path) {
    asked.push(`${deployment} ${path}`);
    const text = sites[deployment]?.[path];
    if (text === undefined) return undefined;
    return { path, hash: hashOf(Buffer.from(text)), bytes: text.length, smaller: [] };
  },
  content: (hash) =>
    Object.values(sites)
      .flatMap((site) => Object.values(site).map((text) => Buffer.from(text)))
      .find((content) => hashOf(content) === hash),
} as Partial<SiteContents> as SiteContents);

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge({
    serveSite: (request, deployment) => siteResponse(request, deployment, contents),
  });
  edge.view.revisionNow = () => edge.view.revision();
  edge.attach("a.example", "www.example");
  edge.attach("moved.example");
});
afterAll(() => edge.stop());

test("a redirect is within the domain, or to another, on both versions of HTTP", async () => {
  const session = await openHttp2(edge, "a.example");
  for (const seen of [
    await getSecured(edge, "a.example", "/old/x?y=1"),
    await requestHttp2(session, { ":path": "/old/x?y=1" }),
  ]) {
    expect([seen.status, seen.headers["location"]]).toEqual([301, "https://a.example/new/x?y=1"]);
    expect(seen.headers["strict-transport-security"]).toBe("max-age=86400");
  }
  session.destroy();
  const { headers } = await getSecured(edge, "moved.example", "/x/?y=1");
  expect(headers["location"]).toBe("https://new.example/x/?y=1");
});

test("headers are on pages from the cache as on the first, and are looked up once", async () => {
  asked.length = 0;
  const line = await securedLine(edge, "a.example");
  for (const path of ["/", "/", "/", "/", "/shown", "/shown"]) {
    const { headers, body } = await line.ask(`GET ${path} HTTP/1.1\r\nhost: a.example\r\n\r\n`);
    expect([body, headers["x-site"]]).toEqual(["one", "one"]);
    expect(headers["link"]).toBe(
      `</a.css>; rel=preload, <https://www.example${path}>; rel="canonical"`,
    );
  }
  expect(asked.filter((look) => look === "dep_a.example index.html")).toHaveLength(2);
  expect(asked.filter((look) => /_redirects|_headers/.test(look)).length).toBeLessThanOrEqual(2);
  line.socket.destroy();
});

test("another deployment has its own rules from the very next request on", async () => {
  const line = await securedLine(edge, "a.example");
  const ask = (path: string) => line.ask(`GET ${path} HTTP/1.1\r\nhost: a.example\r\n\r\n`);
  for (let count = 0; count < 3; count++) await ask("/");
  const certificate = edge.view.certificates.get("a.example");
  const route = edge.view.routes.get("a.example");
  if (certificate === undefined || route?.kind !== "site") throw new Error("It is attached.");
  edge.view.attach("a.example", { ...route, deployment: "later" }, certificate);
  const { headers, body } = await ask("/");
  expect([body, headers["x-site"]]).toEqual(["two", "two"]);
  expect((await ask("/old/x")).status).toBe(404);
  line.socket.destroy();
});

test("no rule redirects a challenge", async () => {
  edge.view.publish("moved.example", "token", "token.proof");
  const seen = await getPlain(edge, "moved.example", "/.well-known/acme-challenge/token");
  expect([seen.status, seen.body]).toEqual([200, "token.proof"]);
  const none = await getPlain(edge, "moved.example", "/.well-known/acme-challenge/none");
  expect([none.status, none.headers["location"]]).toEqual([404, undefined]);
});
