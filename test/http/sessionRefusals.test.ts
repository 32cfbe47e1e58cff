/** What signing in refuses: strangers' pages, bad input, too many tries, and faults of ours. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  openSessionFixture,
  operator,
  origin,
  phrase,
  type SessionFixture,
  shop,
} from "../accounts/sessionFixture.ts";

let fixture: SessionFixture;

/** For tests that leave each other alone. */
function shareLobby(): void {
  beforeAll(async () => {
    fixture = await openSessionFixture();
  });
  afterAll(() => fixture.close());
}

type Headed = Record<string, string>;

describe("where a page is from", () => {
  shareLobby();
  const writes = [
    ["POST", "/session", { name: "shop", password: phrase }],
    ["DELETE", "/session", undefined],
    ["DELETE", "/sessions", undefined],
    ["DELETE", "/sessions/ses_none", undefined],
    ["POST", "/welcome", { token: "A".repeat(43) }],
    ["PUT", "/password", { current: phrase, next: "another harbour, at night" }],
  ] as const;

  test.each<Headed>([
    {},
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "" },
    { "sec-fetch-site": "same-origin, cross-site" },
    { "sec-fetch-site": "cross-site", origin },
    { origin: "https://evil.example" },
    { origin: "http://petstore.test" },
    { origin: "http://docs.petstore.test:8080" },
    { origin: `${origin}.evil.example` },
    { origin: `${origin}/` },
    { origin: "null" },
    { origin: "" },
  ])("%p changes nothing, with a cookie or without", async (headers) => {
    const cookie = await fixture.signInByLink(shop);
    const before = await fixture.stores.accounts.find("shop");
    for (const [method, path, body] of writes) {
      for (const with_ of [cookie, undefined]) {
        const refused = await fixture.ask(method, path, { cookie: with_, body, headers });
        expect([path, refused.status, refused.body.code]).toEqual([path, 403, "forbidden"]);
        expect(refused.headers.get("set-cookie")).toBeNull();
      }
    }
    expect((await fixture.ask("GET", "/session", { cookie })).status).toBe(200);
    expect(await fixture.stores.accounts.find("shop")).toEqual(before);
  });

  test.each<Headed>([
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "same-origin", origin },
    { origin },
    { origin: "HTTP://Petstore.TEST:8080" },
    { origin: "https://petstore.test:8080" },
  ])("%p is our own", async (headers) => {
    const cookie = await fixture.signInByLink(shop);
    expect((await fixture.ask("DELETE", "/sessions", { cookie, headers })).status).toBe(204);
  });

  test.each<[Headed, boolean]>([
    [{}, true],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{ "sec-fetch-site": "none" }, true],
    [{ "sec-fetch-site": "same-site" }, false],
    [{ "sec-fetch-site": "cross-site" }, false],
    [{ origin: "https://evil.example" }, false],
  ])("%p reads by a cookie: %p", async (headers, reads) => {
    const cookie = await fixture.signInByLink(shop);
    const { status } = await fixture.ask("GET", "/session", { cookie, headers });
    expect(status).toBe(reads ? 200 : 403);
    const request = fixture.requestFor("GET", "/projects", { cookie, headers });
    expect((await fixture.api.authentication.session(request))?.holder).toEqual(
      reads ? shop : undefined,
    );
  });

  test("decides for the other handlers too, since a stranger's cookie is nobody's", async () => {
    const cookie = await fixture.signInByLink(shop);
    const actor = (headers: Headed, method = "POST") =>
      fixture.api.authentication.actor(
        fixture.requestFor(method, "/projects", { cookie, headers }),
      );
    expect(await actor({ "sec-fetch-site": "same-origin" })).toEqual(shop);
    expect(await actor({ "sec-fetch-site": "same-site" })).toBeUndefined();
    expect(await actor({})).toBeUndefined();
    expect(await actor({}, "GET")).toEqual(shop);
    // A program needs no page.
    const authorization = `Bearer ${await fixture.tokenFor(operator)}`;
    expect(await actor({ authorization })).toEqual(operator);
    // The cookie first.
    expect(await actor({ authorization, "sec-fetch-site": "same-origin" })).toEqual(shop);
  });

  test("may be the configured address, but not in plain HTTP where that is https", async () => {
    const behind = await openSessionFixture({ baseUrl: "https://api.petstore.test/v1" });
    const status = async (headers: Headed) =>
      (await behind.ask("DELETE", "/session", { headers })).status;
    expect(await status({ origin: "https://api.petstore.test" })).toBe(204);
    expect(await status({ origin: "http://api.petstore.test" })).toBe(403);
    await behind.close();
  });
});

describe("the cookie", () => {
  shareLobby();
  const form = (name: string, end: string) =>
    new RegExp(`^${name}=[\\w-]{43}; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict${end}$`);

  test.each([
    ["over plain HTTP", undefined, origin, form("petstore", "")],
    ["over https", undefined, "https://petstore.test", form("__Host-petstore", "; Secure")],
    [
      "behind what ends TLS for us",
      "https://api.petstore.test/v1",
      origin,
      form("__Host-petstore", "; Secure"),
    ],
    [
      "where the address is plain HTTP",
      "http://api.petstore.test/v1",
      origin,
      form("petstore", ""),
    ],
  ])("has its attributes %s", async (_where, baseUrl, at, expected) => {
    const place = await openSessionFixture(baseUrl === undefined ? {} : { baseUrl });
    const { token } = await place.link(shop);
    const welcome = { body: { token, password: phrase }, at };
    const { headers, cookie } = await place.ask("POST", "/welcome", welcome);
    expect(headers.getSetCookie()).toHaveLength(1);
    expect(headers.get("set-cookie")).toMatch(expected);
    expect((await place.ask("GET", "/session", { cookie, at })).status).toBe(200);
    const signedIn = await place.signIn("shop", phrase, { at });
    expect(signedIn.headers.get("set-cookie")).toMatch(expected);
    const { headers: cleared } = await place.ask("DELETE", "/session", { cookie, at });
    const [name] = cookie.split("=");
    const secure = name === "__Host-petstore" ? "; Secure" : "";
    expect(cleared.get("set-cookie")).toBe(
      `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict${secure}`,
    );
    await place.close();
  });

  test("is read strictly", async () => {
    const cookie = await fixture.signInByLink(shop);
    const [, token = ""] = cookie.split("=");
    const status = async (text: string, at = origin) =>
      (await fixture.ask("GET", "/session", { cookie: text, at })).status;
    for (const text of [cookie, `theme=dark; ${cookie}`, `a=petstore; ${cookie};b=c`]) {
      expect([text, await status(text)]).toEqual([text, 200]);
    }
    for (const text of [
      `${cookie}; petstore=${"A".repeat(43)}`,
      `petstore=${"A".repeat(43)}; ${cookie}`,
      `${cookie}; ${cookie}`,
      `PETSTORE=${token}`,
      `xpetstore=${token}`,
      `petstore="${token}"`,
      `petstore=${token}=`,
      `petstore=${token} x`,
      `petstore =${token}`,
      `petstore=${token}, a=b`,
      `petstore=${encodeURIComponent(`${token}.`)}`,
      `petstore=${token.toUpperCase()}`,
      `__Host-petstore=${token}`,
      "petstore=",
      "petstore",
      "",
    ]) {
      expect([text, await status(text)]).toEqual([text, 401]);
    }
    // Over https only the one that no other host can plant.
    expect(await status(cookie, "https://petstore.test:8080")).toBe(401);
    expect(await status(`__Host-${cookie}`, "https://petstore.test:8080")).toBe(200);
  });
});

describe("what is sent wrongly", () => {
  shareLobby();
  test.each([
    ["POST", "/session", "{", 400, "body_unreadable"],
    ["POST", "/session", [], 400, "body_invalid"],
    ["POST", "/session", "null", 400, "body_invalid"],
    ["POST", "/session", {}, 400, "body_invalid"],
    ["POST", "/session", { name: "shop" }, 400, "body_invalid"],
    ["POST", "/session", { name: "shop", password: 7 }, 400, "body_invalid"],
    ["POST", "/session", { name: ["shop"], password: phrase }, 400, "body_invalid"],
    ["POST", "/session", { name: "shop", password: phrase, as: "operator" }, 400, "body_invalid"],
    ["POST", "/session", { name: "shop", password: "x".repeat(65_536) }, 413, "body_too_large"],
    ["POST", "/welcome", {}, 400, "body_invalid"],
    ["POST", "/welcome", { token: null }, 400, "body_invalid"],
    ["POST", "/welcome", { token: "A", password: null }, 400, "body_invalid"],
    ["POST", "/welcome", { token: "A", holder: "operator" }, 400, "body_invalid"],
    ["PUT", "/password", {}, 400, "body_invalid"],
    ["PUT", "/password", { next: 12 }, 400, "body_invalid"],
    ["PUT", "/password", { current: 1, next: phrase }, 400, "body_invalid"],
  ])("%s %s %j is refused by name, and costs no try", async (method, path, body, status, code) => {
    const cookie = await fixture.signInByLink(shop);
    const { hashings } = fixture.state;
    const refused = await fixture.ask(method, path, { cookie, body });
    expect(refused.body).toEqual({ code, message: expect.any(String), status });
    expect(refused.status).toBe(status);
    expect(refused.headers.get("set-cookie")).toBeNull();
    expect(fixture.state.hashings).toBe(hashings);
    expect((await fixture.ask("GET", "/session", { cookie })).status).toBe(200);
  });

  test("is not repeated, since it may be a password", async () => {
    const body = { name: "shop", password: phrase, [phrase.repeat(4)]: phrase };
    const { body: refused } = await fixture.ask("POST", "/session", { body });
    expect(refused.message.length).toBeLessThan(100);
  });

  test("as a form is refused, as a page of another origin could send one", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      const headers = { "content-type": type, "sec-fetch-site": "same-origin" };
      const body = { name: "shop", password: phrase };
      expect((await fixture.ask("POST", "/session", { headers, body })).status).toBe(415);
    }
  });

  test.each([
    ["PUT", "/session", "GET, POST, DELETE"],
    ["POST", "/sessions", "GET, DELETE"],
    ["GET", "/sessions/ses_x", "DELETE"],
    ["GET", "/welcome", "POST"],
    ["POST", "/password", "PUT"],
    ["GET", "/owners/shop/invite", "POST"],
    ["PATCH", "/session", "GET, POST, DELETE"],
  ])("%s %s is not allowed", async (method, path, allow) => {
    const headers = { "sec-fetch-site": "same-origin" };
    const cookie = await fixture.signInByLink(shop);
    const { status, headers: answered } = await fixture.ask(method, path, { cookie, headers });
    expect([status, answered.get("allow")]).toEqual([405, allow]);
    // Without a credential nothing is learnt of what exists.
    const { body } = await fixture.ask(method, path, { headers });
    expect(body).toMatchObject({ code: "unauthorized", status: 401 });
  });

  test.each(["/session/", "/sessions/a/b", "/owners/a", "/x"])("nothing is at %p", async (path) => {
    const { body } = await fixture.ask("GET", path, { cookie: await fixture.signInByLink(shop) });
    expect(body).toMatchObject({ code: "path_not_found", status: 404 });
  });

  test.each([
    ["GET", "/session", undefined],
    ["GET", "/sessions", undefined],
    ["DELETE", "/sessions", undefined],
    ["DELETE", "/sessions/ses_x", undefined],
    ["PUT", "/password", { next: phrase }],
  ])("%s %s needs somebody signed in, and a token is nobody", async (method, path, body) => {
    const authorization = `Bearer ${await fixture.tokenFor(operator)}`;
    for (const headers of [{}, { authorization }] as Headed[]) {
      const asked = { headers: { ...headers, "sec-fetch-site": "same-origin" }, body };
      const refused = await fixture.ask(method, path, asked);
      expect(refused.body).toMatchObject({ code: "not_signed_in", status: 401 });
    }
  });
});
