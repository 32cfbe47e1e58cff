/** What is left of an account that the operator has disabled: nothing that acts for it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  openSessionFixture,
  phrase,
  rival,
  type SessionFixture,
  shop,
  startMs,
} from "../accounts/sessionFixture.ts";

let fixture: SessionFixture;
beforeEach(async () => {
  fixture = await openSessionFixture();
});
afterEach(() => fixture.close());

const set = (atMs: number | undefined) =>
  fixture.stores.accounts.setDisabled({ account: "shop", holder: shop, atMs });
const disable = () => set(startMs);
const enable = () => set(undefined);

test("open sessions and streams end at once in every process, and those of others go on", async () => {
  const cookie = await fixture.signInByLink(shop);
  const others = await fixture.signInByLink(rival);
  const other = fixture.open();
  const stream = fixture.requestFor("GET", "/projects/a/domains/b/events", { cookie });
  expect(await other.authentication.actor(stream)).toEqual(shop);
  await disable();
  expect(await other.authentication.actor(stream)).toBeUndefined();
  expect((await fixture.ask("GET", "/session", { cookie }, other)).status).toBe(401);
  expect((await fixture.ask("GET", "/session", { cookie: others }, other)).status).toBe(200);
});

test("its access tokens are refused until it is enabled again", async () => {
  const headers = { authorization: `Bearer ${await fixture.tokenFor(shop)}` };
  const status = async () => (await fixture.ask("GET", "/projects", { headers })).status;
  expect(await status()).toBe(200);
  await disable();
  expect(await status()).toBe(401);
  await enable();
  expect(await status()).toBe(200);
});

test("only who knows the password is told, and is let in again later", async () => {
  await fixture.signInByLink(shop);
  await disable();
  const { status, body, headers } = await fixture.signIn("shop", phrase);
  expect([status, body.code, headers.get("set-cookie")]).toEqual([403, "account_disabled", null]);
  expect((await fixture.signIn("shop", "a wrong password")).body.code).toBe("sign_in_refused");
  await enable();
  expect((await fixture.signIn("shop", phrase)).status).toBe(200);
});

test("one that is disabled while somebody signs in gets no session", async () => {
  await fixture.signInByLink(shop);
  const letGo = fixture.hold();
  const { hashings } = fixture.state;
  const signingIn = fixture.signIn("shop", phrase);
  while (fixture.state.hashings === hashings) await new Promise<void>((turn) => setImmediate(turn));
  await disable();
  letGo();
  expect((await signingIn).status).toBe(401);
  expect(await fixture.stores.accounts.listSessions("shop")).toEqual([]);
});

test("no link is made for it, and one from before is spent", async () => {
  const { token } = await fixture.link(shop);
  await disable();
  const used = await fixture.ask("POST", "/welcome", { body: { token, password: phrase } });
  expect(used.body.code).toBe("link_spent");
  expect(fixture.link(shop)).rejects.toMatchObject({ code: "account_disabled" });
});
