/** A new password, and inviting others. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  hourMs,
  openSessionFixture,
  operator,
  origin,
  phrase,
  type SessionFixture,
  shop,
  startMs,
} from "../accounts/sessionFixture.ts";

let fixture: SessionFixture;
beforeEach(async () => {
  fixture = await openSessionFixture();
});
afterEach(() => fixture.close());

const statusOf = async (cookie: string) =>
  (await fixture.ask("GET", "/session", { cookie })).status;

describe("a new password", () => {
  const change = (cookie: string, body: unknown) =>
    fixture.ask("PUT", "/password", { cookie, body });
  const next = "another harbour, at night";

  test("takes the place of the current one and ends the other sessions", async () => {
    const here = await fixture.signInByLink(shop);
    const { cookie: there } = await fixture.signIn("shop", phrase);
    expect((await change(here, { current: phrase, next })).status).toBe(204);
    expect([await statusOf(here), await statusOf(there)]).toEqual([200, 401]);
    expect((await fixture.signIn("shop", phrase)).status).toBe(401);
    expect((await fixture.signIn("shop", next)).status).toBe(200);
  });

  test.each([
    ["without the current one", { next }, 403, "current_password_wrong"],
    ["with a wrong one", { current: "not this one", next }, 403, "current_password_wrong"],
    ["that is too short", { current: phrase, next: "short" }, 400, "password_refused"],
    ["that is common", { current: phrase, next: "password1234" }, 400, "password_refused"],
  ])("%s is refused, and nothing ends", async (_what, body, status, code) => {
    const here = await fixture.signInByLink(shop);
    const { cookie: there } = await fixture.signIn("shop", phrase);
    expect((await change(here, body)).body).toMatchObject({ status, code });
    expect([await statusOf(here), await statusOf(there)]).toEqual([200, 200]);
    expect((await fixture.signIn("shop", phrase)).status).toBe(200);
  });

  test("is set by an operator who had none, and then needed", async () => {
    const { token } = await fixture.link(operator);
    const { cookie } = await fixture.ask("POST", "/welcome", { body: { token } });
    expect((await change(cookie, { next })).status).toBe(204);
    expect((await fixture.signIn("operator", next)).status).toBe(200);
    expect((await change(cookie, { next: phrase })).status).toBe(403);
  });

  test("cannot be guessed at without end by whoever found a browser open", async () => {
    const cookie = await fixture.signInByLink(shop);
    const guess = { current: "a guess at it", next };
    const statuses = [];
    for (let count = 0; count < 11; count++) statuses.push((await change(cookie, guess)).status);
    expect(statuses).toEqual([...Array(10).fill(403), 429]);
    // Signing in counts by itself.
    expect((await fixture.signIn("shop", phrase)).status).toBe(200);
  });
});

test("whoever is refused is in the log with why and from where, and with nothing they sent", async () => {
  const cookie = await fixture.signInByLink(shop);
  await fixture.signIn("shop", "a first guess at it");
  await fixture.ask("POST", "/welcome", {
    body: { token: "A".repeat(43), password: "a second one" },
  });
  const body = { current: "a third guess", next: phrase };
  await fixture.ask("PUT", "/password", { cookie, body });
  const refused = fixture
    .logged()
    .split("\n")
    .filter((line) => line.includes("account.refused"))
    .map((line) => JSON.parse(line));
  expect(refused.map(({ code }) => code)).toEqual([
    "sign_in_refused",
    "link_spent",
    "current_password_wrong",
  ]);
  for (const { level, address } of refused)
    expect([level, address]).toEqual(["warn", "198.51.100.7"]);
  expect(fixture.logged()).not.toMatch(/guess|second one|A{43}/);
});

describe("an invitation", () => {
  const invite = (owner: string, asked: Parameters<SessionFixture["ask"]>[2]) =>
    fixture.ask("POST", `/owners/${owner}/invite`, asked);

  test("by the operator is a link that lets the owner in", async () => {
    const cookie = await fixture.signInByLink(operator);
    const { status, body } = await invite("shop", { cookie });
    expect([status, body]).toEqual([
      200,
      {
        link: expect.stringMatching(
          /^http:\/\/petstore\.test:8080\/dashboard\/#\/welcome\/[\w-]{43}$/,
        ),
        expiresAtMs: startMs + 7 * 24 * hourMs,
        mailedTo: null,
      },
    ]);
    const token = body.link.split("/").at(-1);
    const welcome = { body: { token, password: phrase } };
    expect((await fixture.ask("POST", "/welcome", welcome)).body.actor.id).toBe("shop");
  });

  test("works with the operator's access token, which needs no page", async () => {
    const bearer = async (holder: typeof operator) => ({
      headers: { authorization: `Bearer ${await fixture.tokenFor(holder)}` },
    });
    expect((await invite("shop", await bearer(operator))).status).toBe(200);
    const refused = await invite("shop", await bearer(shop));
    expect(refused.body).toMatchObject({ code: "operator_only", status: 403 });
  });

  test("is refused to owners, to nobody, and for nobody", async () => {
    const cookie = await fixture.signInByLink(shop);
    expect((await invite("rival", { cookie })).body).toMatchObject({ code: "operator_only" });
    expect((await invite("rival", {})).body).toMatchObject({ code: "unauthorized", status: 401 });
    const boss = await fixture.signInByLink(operator);
    const none = await invite("nobody", { cookie: boss });
    expect(none.body).toMatchObject({ code: "owner_not_found", status: 404 });
    await fixture.stores.sites.addOwner({ id: "operator", name: "Sly", plan: "free" });
    const sly = await invite("operator", { cookie: boss });
    expect(sly.body).toMatchObject({ code: "name_reserved", status: 409 });
    expect(await fixture.stores.accounts.findSession("rival")).toBeUndefined();
    expect(await fixture.stores.accounts.find("rival")).toBeUndefined();
  });

  test("does not trust a cookie from nowhere, unlike a token", async () => {
    const cookie = await fixture.signInByLink(operator);
    expect((await invite("shop", { cookie, headers: {} })).status).toBe(401);
    expect((await invite("shop", { cookie, headers: { origin } })).status).toBe(200);
  });
});

describe("an e-mail address", () => {
  const set = (email: string, asked: Parameters<SessionFixture["ask"]>[2]) =>
    fixture.ask("PUT", "/account/email", { ...asked, body: { email } });

  test("is set by everybody for themselves", async () => {
    const [own, operators] = [
      await fixture.signInByLink(shop),
      await fixture.signInByLink(operator),
    ];
    const { status, body } = await set("a@shop.example", { cookie: own });
    expect([status, body]).toEqual([200, { email: "a@shop.example" }]);
    await set("root@example.com", { cookie: operators });
    expect((await set("shop", { cookie: own })).body.code).toBe("body_invalid");
    const emailOf = async (cookie: string) =>
      (await fixture.ask("GET", "/account/email", { cookie })).body.email;
    expect([await emailOf(own), await emailOf(operators)]).toEqual([
      ...["a@shop.example", "root@example.com"],
    ]);
  });

  test("is where links to sign in go, so that no access token changes it", async () => {
    const authorization = `Bearer ${await fixture.tokenFor(shop)}`;
    const headers = { "sec-fetch-site": "same-origin", authorization };
    const { status, body } = await set("thief@example.com", { headers });
    expect([status, body.code]).toEqual([401, "not_signed_in"]);
    expect(await fixture.stores.accounts.listEmails()).toEqual(new Map());
  });
});
