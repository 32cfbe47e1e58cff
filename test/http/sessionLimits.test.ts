/** Too many tries, and what happens when something of ours breaks. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { bucketOf } from "../../src/accounts/signInThrottle.ts";
import { Problem } from "../../src/core/problems.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  minuteMs,
  openSessionFixture,
  phrase,
  type SessionFixture,
  secondMs,
  shop,
} from "../accounts/sessionFixture.ts";

let fixture: SessionFixture;

describe("too many tries", () => {
  beforeEach(async () => {
    fixture = await openSessionFixture();
  });
  afterEach(() => fixture.close());
  const wrong = (name = "shop") => fixture.signIn(name, "a wrong password");
  const from = (peer: string) => {
    fixture.state.peer = peer;
  };

  test.each(["shop", "nobody"])(
    "for the name %s from many addresses are refused from everywhere, with when to come back",
    async (name) => {
      await fixture.signInByLink(shop);
      for (let count = 0; count < 50; count++) {
        from(`198.51.100.${count}`);
        expect((await wrong(name)).status).toBe(401);
      }
      from("203.0.113.9");
      const { hashings } = fixture.state;
      const refused = await wrong(name);
      expect(refused.body).toMatchObject({ code: "sign_in_limited", status: 429 });
      expect(refused.headers.get("retry-after")).toBe("15");
      // The right password too: it must not be told from a wrong one.
      expect((await fixture.signIn(name, phrase)).status).toBe(429);
      expect((await fixture.signIn(name, phrase, {}, fixture.open())).status).toBe(429);
      expect(fixture.state.hashings).toBe(hashings);
      fixture.clock.advance(14 * secondMs);
      expect((await wrong(name)).headers.get("retry-after")).toBe("1");
      fixture.clock.advance(secondMs);
      expect((await wrong(name)).status).toBe(401);
      expect((await wrong(name)).status).toBe(429);
      fixture.clock.advance(minuteMs);
      expect((await fixture.signIn(name, phrase)).status).toBe(name === "shop" ? 200 : 401);
    },
  );

  test("from one address are refused for the name they were at, and no other name is", async () => {
    await fixture.signInByLink(shop);
    for (let count = 0; count < 10; count++) expect((await wrong()).status).toBe(401);
    const refused = await fixture.signIn("shop", phrase);
    expect(refused.body).toMatchObject({ code: "sign_in_limited", status: 429 });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect((await wrong("another")).status).toBe(401);
    fixture.clock.advance(minuteMs);
    expect((await wrong()).status).toBe(401);
    expect((await wrong()).status).toBe(429);
  });

  test("at names that share a bucket of the store count as tries at one name", async () => {
    await fixture.signInByLink(shop);
    const shared = bucketOf("sign in", "shop");
    let number = 0;
    while (bucketOf("sign in", `name-${number}`) !== shared) number++;
    for (let count = 0; count < 10; count++) expect((await wrong()).status).toBe(401);
    expect((await wrong(`name-${number}`)).status).toBe(429);
  });

  test("from one address never keep the holder of a name from signing in at another", async () => {
    await fixture.signInByLink(shop);
    for (let minute = 0; minute < 120; minute++) {
      from("198.51.100.66");
      for (let count = 0; count < 12; count++) await wrong();
      from("203.0.113.9");
      expect((await fixture.signIn("shop", phrase)).status).toBe(200);
      fixture.clock.advance(minuteMs);
    }
  });

  test("at once are no more than one after the other", async () => {
    await fixture.signInByLink(shop);
    const answers = await Promise.all(Array.from({ length: 25 }, () => wrong()));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(15).fill(429)]);
  });

  test("from one address are refused, whatever the names, and no other address is", async () => {
    const statuses = [];
    for (let count = 0; count < 31; count++) statuses.push((await wrong(`name-${count}`)).status);
    expect(statuses).toEqual([...Array(30).fill(401), 429]);
    expect((await wrong("one-more")).headers.get("retry-after")).toBe("20");
    from("203.0.113.9");
    expect((await wrong("one-more")).status).toBe(401);
    from("198.51.100.7");
    fixture.clock.advance(20 * secondMs);
    expect((await wrong("one-more")).status).toBe(401);
  });

  test("are not those that succeed", async () => {
    await fixture.signInByLink(shop);
    for (let count = 0; count < 40; count++) {
      expect((await fixture.signIn("shop", phrase)).status).toBe(200);
    }
  });

  test("than can be hashed are sent away with when to come back", async () => {
    await fixture.signInByLink(shop);
    const letGo = fixture.hold();
    const signing = Array.from({ length: 40 }, (_, index) => {
      from(`198.51.100.${index}`);
      return fixture.signIn(`name-${index}`, phrase);
    });
    const first = await Promise.race(signing);
    expect(first.body).toMatchObject({ code: "sign_in_busy", status: 503 });
    expect(first.headers.get("retry-after")).toBe("2");
    letGo();
    const statuses = (await Promise.all(signing)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(6);
    expect(statuses.filter((status) => status === 401)).toHaveLength(34);
  });

  test("to keep us busy with one text are refused at once: many marks take seconds to order", async () => {
    const marks = `a${"\u0301".repeat(15_000)}${"\u0323".repeat(15_000)}`;
    const cookie = await fixture.signInByLink(shop);
    expect((await fixture.signIn(marks, phrase)).body.code).toBe("sign_in_refused");
    expect((await fixture.signIn("shop", marks)).body.code).toBe("sign_in_refused");
    const body = { current: phrase, next: marks };
    const changed = await fixture.ask("PUT", "/password", { cookie, body });
    expect(changed.body.code).toBe("password_refused");
  });

  test("leave nothing of what was typed on disk", async () => {
    await wrong("my secret typed as a name");
    expect(await fixture.onDisk()).toContain("sign_in_tries");
    expect(await fixture.onDisk()).not.toContain("my secret typed");
    expect(fixture.logged()).not.toContain("my secret typed");
  });
});

describe("a fault of ours", () => {
  const withFault = (fault: unknown) =>
    openSessionFixture({
      wrap: (stores) =>
        ({
          ...stores,
          accounts: new Proxy(stores.accounts, {
            get: () => () => Promise.reject(fault),
          }),
        }) as Stores,
    });

  test.each([
    ["of no name", new TypeError("broke on a secret row"), 500, "internal"],
    ["of the store", new Problem("store_unavailable"), 503, "store_unavailable"],
  ])(
    "%s is logged with its cause, and the client learns nothing of it",
    async (_w, fault, status, code) => {
      const broken = await withFault(fault);
      const cookie = `petstore=${"A".repeat(43)}`;
      const answers = [
        await broken.signIn("shop", phrase),
        await broken.ask("POST", "/welcome", { body: { token: "A".repeat(43) } }),
        await broken.ask("GET", "/session", { cookie }),
      ];
      for (const { body, headers, ...answered } of answers) {
        expect(answered.status).toBe(status);
        expect(body).toEqual({ code, message: expect.any(String), status });
        expect(JSON.stringify(body)).not.toContain("secret row");
        const id = headers.get("x-request-id") ?? "none";
        const line = broken
          .logged()
          .split("\n")
          .find((each) => each.includes(id));
        expect(line).toContain('"event":"request.failed"');
        expect(line).toContain(fault.message);
      }
      await broken.close();
    },
  );
});
