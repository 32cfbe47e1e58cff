import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ServeSite } from "../../src/hosting/edge/requestHandler.ts";
import { getPlain, getSecured, openHttp2, requestHttp2 } from "./clients.ts";
import { echo, startTestEdge, type TestEdge } from "./testEdge.ts";

const oddPaths = [
  "/",
  "/?",
  "//evil.example/x",
  "/\\evil.example",
  "/@evil.example",
  "/.evil.example",
  "/a//b/../c/./%2e%2e/%0d%0aset-cookie:x=y?to=//evil.example&q=%0D%0A",
  "/caf%C3%A9?a=b&&=&c=%ff;d",
  "/'\"<>{}|^`[]?'\"<>{}|^`[]",
];

let edge: TestEdge;
beforeAll(async () => {
  const serveSite: ServeSite = (request, deployment) =>
    request.path === "//evil.example/x"
      ? { status: 308, headers: { location: `${request.path}/` }, body: undefined }
      : echo(request, deployment);
  edge = await startTestEdge({ publicHttpsPort: 8443, serveSite });
  edge.attach("a.example");
  for (const status of [301, 302, 307, 308] as const) {
    edge.redirect(`r${status}.example`, "a.example", status);
  }
});
afterAll(() => edge.stop());

describe("a host that redirects", () => {
  for (const status of [301, 302, 307, 308] as const) {
    test(`answers ${status}, with path and query exactly as they were sent`, async () => {
      for (const path of oddPaths) {
        const seen = await getSecured(edge, `r${status}.example`, path);
        expect(seen.status).toBe(status);
        expect(seen.headers["location"]).toBe(`https://a.example:8443${path}`);
        expect(seen.headers["set-cookie"]).toBeUndefined();
      }
    });
  }

  test("does so over HTTP/2", async () => {
    const session = await openHttp2(edge, "r308.example");
    for (const path of oddPaths) {
      const seen = await requestHttp2(session, { ":path": path });
      expect(seen.headers["location"]).toBe(`https://a.example:8443${path}`);
    }
    session.destroy();
  });

  test("is forgotten by browsers soon, in case it was a mistake", async () => {
    const { headers } = await getSecured(edge, "r308.example");
    expect(headers["cache-control"]).toBe("public, max-age=300");
  });
});

describe("plain HTTP", () => {
  test("leads to HTTPS on the same host, with path and query exactly as they were sent", async () => {
    for (const path of oddPaths) {
      for (const host of ["a.example", "A.Example.:80", "r302.example"]) {
        const seen = await getPlain(edge, host, path);
        const name = host.startsWith("r") ? host : "a.example";
        expect(seen.status).toBe(301);
        expect(seen.headers["location"]).toBe(`https://${name}:8443${path}`);
      }
    }
  });

  test("leaves the usual port out of the address", async () => {
    const usual = await startTestEdge({ publicHttpsPort: 443 });
    usual.attach("a.example");
    expect((await getPlain(usual, "a.example", "/x")).headers["location"]).toBe(
      "https://a.example/x",
    );
    await usual.stop();
  });

  test("refuses what is neither GET nor HEAD, rather than have it sent again", async () => {
    const seen = await getPlain(edge, "a.example", "/", { method: "POST" });
    expect(seen).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });

  test("says nothing of a host that is not attached", async () => {
    const strangers = ["nobody.example", "127.0.0.1", "[::1]", "localhost"];
    for (const host of strangers) {
      const { status, headers, body } = await getPlain(edge, host, "/x");
      expect({ status, body }).toEqual({ status: 404, body: "There is no site here.\n" });
      expect(headers["location"]).toBeUndefined();
    }
  });
});

test("a redirect within a site cannot lead to another host", async () => {
  const seen = await getSecured(edge, "a.example", "//evil.example/x");
  expect(seen.headers["location"]).toBe("https://a.example:8443//evil.example/x/");
});
