/** Coming in, being known, and going out again. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  hourMs,
  minuteMs,
  openSessionFixture,
  operator,
  phrase,
  rival,
  type SessionFixture,
  secondMs,
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
const actorOf = async (cookie: string, headers = {}, method = "GET") =>
  (
    await fixture.api.authentication.session(
      fixture.requestFor(method, "/projects", { cookie, headers }),
    )
  )?.holder;

describe("a one-time link", () => {
  test("is traded for a session, and for an owner's password", async () => {
    const { token } = await fixture.link(shop);
    const { status, body, headers, cookie } = await fixture.ask("POST", "/welcome", {
      body: { token, password: phrase },
    });
    expect([status, body]).toEqual([
      200,
      {
        actor: { kind: "owner", id: "shop", name: "The shop" },
        expiresAtMs: startMs + 2 * hourMs,
        secondFactorMissing: false,
      },
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await actorOf(cookie)).toEqual(shop);
    expect((await fixture.signIn("shop", phrase)).status).toBe(200);
  });

  test("brings the operator in without a password, and then no password brings anybody in", async () => {
    const { token } = await fixture.link(operator);
    const { body, cookie } = await fixture.ask("POST", "/welcome", { body: { token } });
    expect(body.actor).toEqual({ kind: "operator", id: "operator", name: "Operator" });
    expect(await actorOf(cookie)).toEqual(operator);
    expect((await fixture.signIn("operator", "")).status).toBe(401);
  });

  test("works once: of many uses at once one gets a session, with its password", async () => {
    const { token } = await fixture.link(shop);
    const passwords = Array.from({ length: 8 }, (_, index) => `${phrase} ${index}`);
    const answers = await Promise.all(
      passwords.map((password) => fixture.ask("POST", "/welcome", { body: { token, password } })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array(7).fill(410)]);
    const winner = passwords[statuses.indexOf(200)] ?? "";
    expect(await fixture.stores.accounts.listSessions("shop")).toHaveLength(1);
    expect((await fixture.signIn("shop", winner)).status).toBe(200);
    expect((await fixture.ask("POST", "/welcome", { body: { token } })).status).toBe(410);
  });

  test("is not used up by a password that is refused", async () => {
    const { token } = await fixture.link(shop);
    const refused = await fixture.ask("POST", "/welcome", { body: { token, password: "short" } });
    expect(refused.body).toMatchObject({ code: "password_refused", status: 400 });
    const missing = await fixture.ask("POST", "/welcome", { body: { token } });
    expect(missing.body).toMatchObject({ code: "password_needed", status: 400 });
    expect(refused.headers.get("set-cookie")).toBeNull();
    expect(fixture.state.hashings).toBe(0);
    const body = { token, password: phrase };
    expect((await fixture.ask("POST", "/welcome", { body })).status).toBe(200);
  });

  test("expires, and is replaced by a newer one for the same person", async () => {
    const first = await fixture.link(shop, hourMs);
    const other = await fixture.link(rival, hourMs);
    const second = await fixture.link(shop, hourMs);
    const spent = { code: "link_spent", message: expect.any(String), status: 410 };
    const use = async ({ token }: { token: string }) =>
      (await fixture.ask("POST", "/welcome", { body: { token, password: phrase } })).body;
    expect(await use(first)).toEqual(spent);
    fixture.clock.advance(hourMs - 1);
    expect((await use(second)).actor.id).toBe("shop");
    fixture.clock.advance(1);
    const { hashings } = fixture.state;
    expect(await use(other)).toEqual(spent);
    expect(await use({ token: "A".repeat(43) })).toEqual(spent);
    expect(await use({ token: "" })).toEqual(spent);
    // A link that is none must not cost us work.
    expect(fixture.state.hashings).toBe(hashings);
  });

  test("sets a new password for somebody who forgot theirs, and ends their sessions", async () => {
    const before = await fixture.signInByLink(shop, "the forgotten one");
    const after = await fixture.signInByLink(shop, phrase);
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
    expect((await fixture.signIn("shop", "the forgotten one")).status).toBe(401);
    expect((await fixture.signIn("shop", phrase)).status).toBe(200);
  });
});

describe("signing in", () => {
  beforeEach(() => fixture.signInByLink(shop));

  test("gives a new token each time, and ends the session that the browser had", async () => {
    const one = await fixture.signIn("shop", phrase);
    const two = await fixture.signIn("shop", phrase, { cookie: one.cookie });
    expect(two.cookie).not.toBe(one.cookie);
    expect([await statusOf(one.cookie), await statusOf(two.cookie)]).toEqual([401, 200]);
  });

  test("never takes a token that somebody else chose", async () => {
    const planted = `petstore=${"A".repeat(43)}`;
    const { status, cookie } = await fixture.signIn("shop", phrase, { cookie: planted });
    expect([status, cookie === planted]).toEqual([200, false]);
    expect(await statusOf(planted)).toBe(401);
  });

  test.each(["Shop", " shop ", "SHOP"])("takes %p for the name", async (name) => {
    expect((await fixture.signIn(name, phrase)).status).toBe(200);
  });

  test("does the same work, and says the same, whatever is wrong", async () => {
    const { token } = await fixture.link(operator);
    await fixture.ask("POST", "/welcome", { body: { token } });
    const tries = [
      ["shop", "not the password"],
      ["shop", ""],
      ["nobody", phrase],
      ["", ""],
      // It has an account, but no password.
      ["operator", phrase],
      ["x".repeat(10_000), "y".repeat(10_000)],
    ] as const;
    const seen = [];
    for (const [name, password] of tries) {
      const before = fixture.state.hashings;
      const { status, body, headers } = await fixture.signIn(name, password);
      seen.push({ hashings: fixture.state.hashings - before, status, body });
      expect(headers.get("set-cookie")).toBeNull();
      expect(headers.get("www-authenticate")).toBe('Bearer realm="petstore-internal"');
    }
    const body = {
      code: "sign_in_refused",
      message: "The username or the password is wrong.",
      status: 401,
    };
    expect(seen).toEqual(tries.map(() => ({ hashings: 1, status: 401, body })));
  });

  test("with a password that is changed at that moment is refused", async () => {
    const cookie = await fixture.signInByLink(shop);
    const letGo = fixture.hold();
    const signingIn = fixture.signIn("shop", phrase);
    while (fixture.state.hashings < 3) await new Promise<void>((turn) => setImmediate(turn));
    const { accounts } = fixture.stores;
    const version = (await accounts.find("shop"))?.passwordVersion ?? 0;
    const password = { hash: "another", setAtMs: startMs };
    await accounts.changePassword({ account: "shop", version, password, keep: "none" });
    letGo();
    expect((await signingIn).status).toBe(401);
    expect(await accounts.listSessions("shop")).toEqual([]);
    expect(await statusOf(cookie)).toBe(401);
  });

  test("hashes a password anew that is kept at another cost, and not again", async () => {
    const { accounts } = fixture.stores;
    const now = (await accounts.find("shop"))?.password ?? "";
    const salt = now.split("$")[4] ?? "";
    const { createHash } = await import("node:crypto");
    const cost = { memory: 64, passes: 1, parallelism: 1 };
    const old = createHash("sha256")
      .update(phrase)
      .update(Buffer.from(salt, "base64"))
      .update(JSON.stringify(cost))
      .digest("base64")
      .replace(/=/g, "");
    const kept = `$argon2id$v=19$m=64,t=1,p=1$${salt}$${old}`;
    await accounts.rehashPassword({ account: "shop", was: now, hash: kept });
    const { cookie } = await fixture.signIn("shop", phrase);
    const anew = (await accounts.find("shop"))?.password ?? "";
    expect(anew).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(await statusOf(cookie)).toBe(200);
    expect((await fixture.signIn("shop", phrase)).status).toBe(200);
    expect((await accounts.find("shop"))?.password).toBe(anew);
  });
});

describe("a session", () => {
  test("ends when it is not used for two hours", async () => {
    const cookie = await fixture.signInByLink(shop);
    fixture.clock.advance(2 * hourMs - 1);
    expect(await statusOf(cookie)).toBe(200);
    await fixture.stores.ready();
    fixture.clock.advance(2 * hourMs - 1);
    expect(await statusOf(cookie)).toBe(200);
    await fixture.stores.ready();
    fixture.clock.advance(2 * hourMs);
    expect([await statusOf(cookie), await actorOf(cookie)]).toEqual([401, undefined]);
  });

  test("ends after a day, however much it is used", async () => {
    const cookie = await fixture.signInByLink(shop);
    for (let hour = 1; hour < 24; hour++) {
      fixture.clock.advance(hourMs);
      const { body } = await fixture.ask("GET", "/session", { cookie });
      expect(body.expiresAtMs).toBe(startMs + Math.min(hour + 2, 24) * hourMs);
      await fixture.stores.ready();
    }
    fixture.clock.advance(hourMs - 1);
    expect(await statusOf(cookie)).toBe(200);
    fixture.clock.advance(1);
    expect(await statusOf(cookie)).toBe(401);
  });

  test("is written down as used at most once a minute", async () => {
    const cookie = await fixture.signInByLink(shop);
    const seenAtMs = async () => {
      await fixture.stores.ready();
      return (await fixture.stores.accounts.listSessions("shop"))[0]?.seenAtMs;
    };
    fixture.clock.advance(minuteMs - 1);
    await statusOf(cookie);
    expect(await seenAtMs()).toBe(startMs);
    fixture.clock.advance(1);
    await Promise.all([statusOf(cookie), statusOf(cookie)]);
    expect(await seenAtMs()).toBe(startMs + minuteMs);
  });

  test("is not kept up by one request that asks again and again, as a stream does", async () => {
    const cookie = await fixture.signInByLink(shop);
    const stream = fixture.requestFor("GET", "/projects/shop/domains/a.example/events", { cookie });
    expect(await fixture.api.authentication.actor(stream)).toEqual(shop);
    fixture.clock.advance(hourMs);
    expect(await fixture.api.authentication.actor(stream)).toEqual(shop);
    await fixture.stores.ready();
    fixture.clock.advance(hourMs);
    expect(await fixture.api.authentication.actor(stream)).toBeUndefined();
  });

  test("is over in every process as soon as signing out is answered", async () => {
    const cookie = await fixture.signInByLink(shop);
    const other = fixture.open();
    const known = () =>
      other.authentication.actor(fixture.requestFor("GET", "/projects", { cookie }));
    expect(await known()).toEqual(shop);
    const { status, headers } = await fixture.ask("DELETE", "/session", { cookie });
    expect(status).toBe(204);
    expect(headers.get("set-cookie")).toBe(
      "petstore=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
    );
    expect(await known()).toBeUndefined();
    expect((await fixture.ask("DELETE", "/session", { cookie })).status).toBe(204);
  });

  test("ends also where a second cookie was planted beside its own", async () => {
    const cookie = await fixture.signInByLink(shop);
    const planted = await fixture.signInByLink(rival);
    const both = `${planted}; ${cookie}`;
    expect(await statusOf(both)).toBe(401);
    const { status } = await fixture.ask("DELETE", "/session", { cookie: both });
    expect(status).toBe(204);
    expect([await statusOf(cookie), await statusOf(planted)]).toEqual([401, 401]);
  });

  test("is listed with the person's others, and with nobody else's", async () => {
    const first = await fixture.signInByLink(shop);
    await fixture.signInByLink(rival);
    fixture.clock.advance(5 * secondMs);
    const agent = { "user-agent": `Browser ${"x".repeat(300)}`, "sec-fetch-site": "same-origin" };
    await fixture.signIn("shop", phrase, { headers: agent });
    const { status, body } = await fixture.ask("GET", "/sessions", { cookie: first });
    const id = expect.stringMatching(/^ses_[0-9A-Za-z]{12}$/);
    expect([status, body]).toEqual([
      200,
      [
        {
          id,
          agent: agent["user-agent"].slice(0, 200),
          createdAtMs: startMs + 5 * secondMs,
          seenAtMs: startMs + 5 * secondMs,
          expiresAtMs: startMs + 5 * secondMs + 2 * hourMs,
          current: false,
        },
        {
          id,
          agent: "",
          createdAtMs: startMs,
          seenAtMs: startMs,
          expiresAtMs: startMs + 2 * hourMs,
          current: true,
        },
      ],
    ]);
  });

  test("is left out of the list once it is over", async () => {
    await fixture.signInByLink(shop);
    fixture.clock.advance(2 * hourMs);
    const { cookie } = await fixture.signIn("shop", phrase);
    expect((await fixture.ask("GET", "/sessions", { cookie })).body).toHaveLength(1);
  });

  test("can be ended from another of the same person, and by nobody else", async () => {
    const here = await fixture.signInByLink(shop);
    const { cookie: there } = await fixture.signIn("shop", phrase);
    const stranger = await fixture.signInByLink(rival);
    const { body: list } = await fixture.ask("GET", "/sessions", { cookie: there });
    const { id } = list.find(({ current }: { current: boolean }) => current);
    const refused = await fixture.ask("DELETE", `/sessions/${id}`, { cookie: stranger });
    expect(refused.body).toMatchObject({ code: "session_not_found", status: 404 });
    expect(await statusOf(there)).toBe(200);
    const ended = await fixture.ask("DELETE", `/sessions/${id}`, { cookie: here });
    expect([ended.status, ended.headers.get("set-cookie")]).toEqual([204, null]);
    expect([await statusOf(there), await statusOf(here)]).toEqual([401, 200]);
    expect((await fixture.ask("DELETE", `/sessions/${id}`, { cookie: here })).status).toBe(404);
  });

  test("can end all the others together", async () => {
    const here = await fixture.signInByLink(shop);
    const others = [await fixture.signIn("shop", phrase), await fixture.signIn("shop", phrase)];
    const stranger = await fixture.signInByLink(rival);
    expect((await fixture.ask("DELETE", "/sessions", { cookie: here })).status).toBe(204);
    for (const { cookie } of others) expect(await statusOf(cookie)).toBe(401);
    expect([await statusOf(here), await statusOf(stranger)]).toEqual([200, 200]);
  });
});
