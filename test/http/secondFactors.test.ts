/** Signing in in two steps, and the factors of an account, over the API that the dashboard calls. */
import { describe, expect, test } from "bun:test";
import {
  addApp,
  addPasskey,
  codeOf,
  firstStep,
  fixture,
  party,
  secondStep,
  statusOf,
  withFixture,
} from "../accounts/secondFactorFixture.ts";
import { minuteMs, operator, phrase, rival, secondMs, shop } from "../accounts/sessionFixture.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";

describeOnEngines("signing in in two steps", (engine) =>
  withFixture({ engine }, () => {
    test("begins in one process and is completed in another", async () => {
      const other = await fixture.openOther();
      const { secret } = await addApp(await fixture.signInByLink(shop));
      fixture.clock.advance(minuteMs);
      const { cookie, body } = await firstStep();
      expect(body).toEqual({
        methods: ["totp", "recovery_code"],
        expiresAtMs: fixture.clock.now() + 10 * minuteMs,
      });
      const done = await secondStep(cookie, { code: codeOf(secret) }, other);
      expect([done.status, done.body.actor.id]).toEqual([200, "shop"]);
      expect(done.cookie).not.toBe(cookie);
      expect(await statusOf(done.cookie)).toBe(200);
    });

    test("works with a passkey that another process asked for", async () => {
      const other = await fixture.openOther();
      const { authenticator, added } = await addPasskey(await fixture.signInByLink(shop));
      expect(added.status).toBe(200);
      const { cookie, body } = await firstStep();
      expect(body.methods).toEqual(["passkey", "recovery_code"]);
      const { body: options } = await fixture.ask("POST", "/session/passkey", { cookie });
      expect(options).toMatchObject({
        rpId: "petstore.test",
        allowCredentials: [{ id: authenticator.id, type: "public-key", transports: ["internal"] }],
        userVerification: "preferred",
      });
      const asked = { ...party, challenge: options.challenge, userVerified: false };
      const done = await secondStep(cookie, { passkey: authenticator.get(asked) }, other);
      expect([done.status, done.body.actor.id]).toEqual([200, "shop"]);
      expect(await statusOf(done.cookie)).toBe(200);
    });

    test("records a second step that failed, since whoever takes it knows the password", async () => {
      await addApp(await fixture.signInByLink(shop));
      fixture.clock.advance(minuteMs);
      for (const code of ["000000", "aaaa-bbbb-cccc-dddd"]) {
        const { cookie } = await firstStep();
        expect((await secondStep(cookie, { code })).status).toBe(401);
      }
      const query = { action: "account.sign_in_failed", limit: 9 };
      const entries = await fixture.stores.audit.list(query);
      expect(entries).toMatchObject([{ actor: "anonymous", subject: "accounts/shop" }]);
    });

    test("takes one code once, however many send it at the same time", async () => {
      const { secret } = await addApp(await fixture.signInByLink(shop));
      fixture.clock.advance(minuteMs);
      const cookies = [];
      for (let count = 0; count < 4; count++) cookies.push((await firstStep()).cookie);
      const code = codeOf(secret);
      const done = await Promise.all(cookies.map((cookie) => secondStep(cookie, { code })));
      expect(done.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
    });

    test("keeps the app's secret and the recovery codes out of the database", async () => {
      const { secret, codes } = await addApp(await fixture.signInByLink(shop));
      const stored = await fixture.onDisk();
      expect(stored).toContain("shop");
      for (const each of [secret, ...codes, ...codes.map((code) => code.replaceAll("-", ""))]) {
        expect(stored).not.toContain(each);
        expect(fixture.logged()).not.toContain(each);
      }
    });
  }),
);

describe("the first step", () =>
  withFixture({}, () => {
    test("opens nothing but the second", async () => {
      await addApp(await fixture.signInByLink(shop));
      const { cookie } = await firstStep();
      for (const [method, path] of [
        ["GET", "/session"],
        ["GET", "/sessions"],
        ["GET", "/second-factors"],
        ["POST", "/second-factors/totp"],
        ["DELETE", "/second-factors/totp"],
        ["POST", "/second-factors/recovery-codes"],
        ["GET", "/projects"],
      ] as const) {
        expect((await fixture.ask(method, path, { cookie })).status).toBe(401);
      }
      const stream = fixture.requestFor("GET", "/projects/a/domains/b/events", { cookie });
      expect(await fixture.api.authentication.actor(stream)).toBeUndefined();
    });

    test("lasts ten minutes, ends with signing out, and needs its cookie", async () => {
      const { codes } = await addApp(await fixture.signInByLink(shop));
      const [first = "", second = "", third = ""] = codes;
      const { cookie } = await firstStep();
      fixture.clock.advance(10 * minuteMs);
      expect((await secondStep(cookie, { code: first })).body.code).toBe("sign_in_expired");
      expect((await secondStep(undefined, { code: first })).body.code).toBe("sign_in_expired");
      const { cookie: left } = await firstStep();
      await fixture.ask("DELETE", "/session", { cookie: left });
      expect((await secondStep(left, { code: second })).body.code).toBe("sign_in_expired");
      const { cookie: used } = await firstStep();
      expect((await secondStep(used, { code: second })).status).toBe(200);
      expect((await secondStep(used, { code: third })).body.code).toBe("sign_in_expired");
    });

    test("ends the session that the browser had, and sets a cookie for ten minutes", async () => {
      const before = await fixture.signInByLink(shop);
      await addApp(before);
      const { headers } = await fixture.signIn("shop", phrase, { cookie: before });
      expect(headers.get("set-cookie")).toMatch(
        /^petstore=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict$/,
      );
      expect(await statusOf(before)).toBe(401);
    });

    test("is also that of a one-time link, which removes no factor", async () => {
      const { codes } = await addApp(await fixture.signInByLink(shop));
      const { token } = await fixture.link(shop);
      const next = "another pass phrase";
      const { status, cookie } = await fixture.ask("POST", "/welcome", {
        body: { token, password: next },
      });
      expect([status, await statusOf(cookie)]).toEqual([202, 401]);
      expect((await secondStep(cookie, { code: codes[0] })).status).toBe(200);
      expect((await fixture.signIn("shop", next)).status).toBe(202);
    });

    test("is over once the password is changed elsewhere", async () => {
      const here = await fixture.signInByLink(shop);
      const { codes } = await addApp(here);
      const { cookie } = await firstStep();
      const body = { current: phrase, next: "another pass phrase" };
      await fixture.ask("PUT", "/password", { cookie: here, body });
      expect((await secondStep(cookie, { code: codes[0] })).body.code).toBe("sign_in_expired");
    });
  }));

describe("a code", () =>
  withFixture({}, () => {
    test("of an app is limited by account, and recovery codes are not", async () => {
      const { secret, codes } = await addApp(await fixture.signInByLink(shop));
      fixture.clock.advance(minuteMs);
      const { cookie } = await firstStep();
      for (let count = 0; count < 10; count++) {
        const wrong = String((Number(codeOf(secret)) + 500_000) % 1_000_000).padStart(6, "0");
        expect((await secondStep(cookie, { code: wrong })).body.code).toBe("second_factor_refused");
      }
      const limited = await secondStep(cookie, { code: codeOf(secret) });
      expect(limited.body.code).toBe("sign_in_limited");
      expect(Number(limited.headers.get("retry-after"))).toBe(15 * 60);
      // Neither another browser nor the password helps whoever guesses.
      const { cookie: fresh } = await firstStep();
      expect((await secondStep(fresh, { code: codeOf(secret) })).status).toBe(429);
      expect((await secondStep(fresh, { code: codes[0]?.toUpperCase() })).status).toBe(200);
    });

    test("that set the app up does not sign in", async () => {
      const { secret } = await addApp(await fixture.signInByLink(shop));
      const { cookie } = await firstStep();
      expect((await secondStep(cookie, { code: codeOf(secret) })).status).toBe(401);
      fixture.clock.advance(30 * secondMs);
      expect((await secondStep(cookie, { code: codeOf(secret) })).status).toBe(200);
    });

    test("of another account is none of ours", async () => {
      await addApp(await fixture.signInByLink(shop));
      const { codes } = await addApp(await fixture.signInByLink(rival));
      const { cookie } = await firstStep();
      expect((await secondStep(cookie, { code: codes[0] })).status).toBe(401);
    });

    test("that is wrong sets nothing up, nor does the setup of another session", async () => {
      const cookie = await fixture.signInByLink(shop);
      const { body } = await fixture.ask("POST", "/second-factors/totp", { cookie });
      const confirm = (as: string, setup: string, code: string) =>
        fixture.ask("PUT", "/second-factors/totp", { cookie: as, body: { setup, code } });
      expect((await confirm(cookie, body.setup, "12345")).body.code).toBe("code_wrong");
      const { cookie: other } = await fixture.signIn("shop", phrase);
      const stolen = await confirm(other, body.setup, codeOf(body.secret));
      expect(stolen.body.code).toBe("setup_expired");
      expect((await fixture.signIn("shop", phrase)).status).toBe(200);
    });
  }));

describe("factors", () =>
  withFixture({}, () => {
    test("are changed only soon after signing in", async () => {
      const cookie = await fixture.signInByLink(shop);
      await addApp(cookie);
      fixture.clock.advance(15 * minuteMs);
      for (const [method, path] of [
        ["POST", "/second-factors/totp"],
        ["DELETE", "/second-factors/totp"],
        ["POST", "/second-factors/passkeys"],
        ["DELETE", "/second-factors/passkeys/psk_none"],
        ["POST", "/second-factors/recovery-codes"],
      ] as const) {
        expect((await fixture.ask(method, path, { cookie })).body.code).toBe("sign_in_again");
      }
    });

    test("have recovery codes, which new ones replace, and which end with the last", async () => {
      const cookie = await fixture.signInByLink(shop);
      const { codes } = await addApp(cookie);
      const replaced = await fixture.ask("POST", "/second-factors/recovery-codes", { cookie });
      const { cookie: pending } = await firstStep();
      expect((await secondStep(pending, { code: codes[0] })).status).toBe(401);
      const [code] = replaced.body.recoveryCodes;
      expect((await secondStep(pending, { code })).status).toBe(200);
      expect((await fixture.ask("DELETE", "/second-factors/totp", { cookie })).status).toBe(204);
      const { body } = await fixture.ask("GET", "/second-factors", { cookie });
      expect([body.totpSinceMs, body.recoveryCodesLeft]).toEqual([null, 0]);
      expect((await fixture.signIn("shop", phrase)).status).toBe(200);
    });

    test("do not concern access tokens, which have no second step", async () => {
      const headers = { authorization: `Bearer ${await fixture.tokenFor(shop)}` };
      await addApp(await fixture.signInByLink(shop));
      expect((await fixture.ask("GET", "/projects", { headers })).status).toBe(200);
      expect((await fixture.ask("GET", "/second-factors", { headers })).status).toBe(401);
    });
  }));

describe("where a second factor is required", () =>
  withFixture({ secondFactor: "required" }, () => {
    test("an account without one can set one up, and do nothing else", async () => {
      const cookie = await fixture.signInByLink(shop);
      const { body } = await fixture.ask("GET", "/session", { cookie });
      expect(body.secondFactorMissing).toBe(true);
      const projects = () => fixture.ask("GET", "/projects", { cookie });
      expect((await projects()).body.code).toBe("second_factor_needed");
      const password = { current: phrase, next: "another pass phrase" };
      const change = await fixture.ask("PUT", "/password", { cookie, body: password });
      expect(change.body.code).toBe("second_factor_needed");
      await addApp(cookie);
      expect((await projects()).status).toBe(200);
      const last = await fixture.ask("DELETE", "/second-factors/totp", { cookie });
      expect(last.body.code).toBe("last_factor");
      await addPasskey(cookie);
      expect((await fixture.ask("DELETE", "/second-factors/totp", { cookie })).status).toBe(204);
    });

    test("it may be of the operator alone", async () => {
      const policy = fixture.open("operator");
      const [boss, owner] = [
        await fixture.signInByLink(operator),
        await fixture.signInByLink(shop),
      ];
      const statuses = [boss, owner].map(
        async (cookie) => (await fixture.ask("GET", "/projects", { cookie }, policy)).status,
      );
      expect(await Promise.all(statuses)).toEqual([403, 200]);
    });

    test("access tokens go on working", async () => {
      const headers = { authorization: `Bearer ${await fixture.tokenFor(shop)}` };
      expect((await fixture.ask("GET", "/projects", { headers })).status).toBe(200);
    });
  }));
