/** Passkeys of an authenticator that is not always honest. */
import { describe, expect, test } from "bun:test";
import {
  addPasskey,
  firstStep,
  fixture,
  party,
  secondStep,
  statusOf,
  withFixture,
} from "../accounts/secondFactorFixture.ts";
import { phrase, rival, shop } from "../accounts/sessionFixture.ts";

describe("a passkey", () =>
  withFixture({}, () => {
    const request = (cookie?: string) => fixture.ask("POST", "/session/passkey", { cookie });

    test("signs in alone, if it verified the person", async () => {
      const { authenticator } = await addPasskey(await fixture.signInByLink(shop));
      const { body: options, cookie } = await request();
      expect(options).toMatchObject({ allowCredentials: [], userVerification: "required" });
      const asked = { ...party, challenge: options.challenge };
      const passkey = authenticator.get({ ...asked, userVerified: false });
      expect((await secondStep(cookie, { passkey })).body.code).toBe("second_factor_refused");
      const { body: again } = await request(cookie);
      const done = await secondStep(cookie, {
        passkey: authenticator.get({ ...party, challenge: again.challenge }),
      });
      expect([done.status, done.body.actor.id]).toEqual([200, "shop"]);
      const { body } = await fixture.ask("GET", "/second-factors", { cookie: done.cookie });
      expect(body).toMatchObject({
        required: false,
        passkeys: [{ name: "Laptop", usedAtMs: fixture.clock.now() }],
        totpSinceMs: null,
        recoveryCodesLeft: 10,
        passkeyOrigin: party.origin,
      });
    });

    test("that signs in counts as no attempt, however many people share an address", async () => {
      const { authenticator } = await addPasskey(await fixture.signInByLink(shop));
      for (let count = 0; count < 40; count++) {
        const { body, cookie } = await request();
        const passkey = authenticator.get({ ...party, challenge: body.challenge });
        expect((await secondStep(cookie, { passkey })).status).toBe(200);
      }
      for (let count = 0; count < 30; count++) expect((await request()).status).toBe(200);
      expect((await request()).status).toBe(429);
    });

    test("that is asked for ends the session that the browser had before", async () => {
      const session = await fixture.signInByLink(shop);
      const { cookie } = await request(session);
      expect(cookie).not.toBe("");
      expect(await statusOf(session)).toBe(401);
    });

    test("signs each challenge once, and only for the session that asked", async () => {
      const { authenticator } = await addPasskey(await fixture.signInByLink(shop));
      const { body: options, cookie } = await request();
      const { cookie: stranger } = await request();
      const passkey = authenticator.get({ ...party, challenge: options.challenge });
      expect((await secondStep(stranger, { passkey })).status).toBe(401);
      expect((await secondStep(cookie, { passkey })).status).toBe(200);
      const { cookie: next } = await request();
      expect((await secondStep(next, { passkey })).status).toBe(401);
    });

    test.each([
      ["another origin", { origin: "https://petstore.evil.test:8080" }],
      ["plain HTTP", { origin: "http://petstore.test:8080" }],
      ["another relying party", { rpId: "evil.test" }],
      ["another challenge", { challenge: "AAAA" }],
      ["nobody there", { userPresent: false }],
      ["a counter that stands still", { counter: 1 }],
    ])("is refused for %s", async (_, changes) => {
      const { authenticator } = await addPasskey(await fixture.signInByLink(shop));
      const sign = async (differently = {}) => {
        const { body, cookie } = await request();
        const asked = { ...party, challenge: body.challenge, ...differently };
        return (await secondStep(cookie, { passkey: authenticator.get(asked) })).status;
      };
      expect(await sign()).toBe(200);
      expect(await sign(changes)).toBe(401);
    });

    test("is refused with the signature of another one, and for another's account", async () => {
      const { authenticator } = await addPasskey(await fixture.signInByLink(shop));
      const { authenticator: rivals } = await addPasskey(await fixture.signInByLink(rival));
      const { body, cookie } = await request();
      const asked = { ...party, challenge: body.challenge };
      const forged = { ...rivals.get(asked), id: authenticator.id };
      expect((await secondStep(cookie, { passkey: forged })).status).toBe(401);
      const { cookie: pending } = await firstStep();
      const { body: options } = await request(pending);
      const passkey = rivals.get({ ...party, challenge: options.challenge });
      expect((await secondStep(pending, { passkey })).status).toBe(401);
    });

    test("is not made from what is malformed, or for somewhere else", async () => {
      const cookie = await fixture.signInByLink(shop);
      for (const changes of [
        { challenge: "AAAA" },
        { origin: "https://evil.test" },
        { rpId: "evil.test" },
        { userPresent: false },
      ]) {
        const { added } = await addPasskey(cookie, changes);
        expect(added.body.code).toBe("passkey_invalid");
      }
      await fixture.ask("POST", "/second-factors/passkeys", { cookie });
      const body = { name: "x", id: "AA", clientDataJSON: "AA", attestationObject: "AA" };
      const put = (asked: object) =>
        fixture.ask("PUT", "/second-factors/passkeys", { cookie, body: asked });
      expect((await put({ ...body, transports: [] })).body.code).toBe("passkey_invalid");
      expect((await put({ ...body, transports: [] })).body.code).toBe("setup_expired");
      expect((await fixture.signIn("shop", phrase)).status).toBe(200);
    });

    test("is renamed and removed, and none is added twice", async () => {
      const cookie = await fixture.signInByLink(shop);
      const { authenticator, added } = await addPasskey(cookie);
      expect(added.body.recoveryCodes).toHaveLength(10);
      expect((await addPasskey(cookie)).added.body.recoveryCodes).toEqual([]);
      const { body } = await fixture.ask("POST", "/second-factors/passkeys", { cookie });
      const again = authenticator.create({ ...party, challenge: body.challenge });
      const refused = await fixture.ask("PUT", "/second-factors/passkeys", {
        cookie,
        body: { name: "Laptop", ...again },
      });
      expect(refused.body.code).toBe("passkey_invalid");
      const listed = async () =>
        (await fixture.ask("GET", "/second-factors", { cookie })).body.passkeys;
      const [{ id }] = await listed();
      const rename = (name: string) =>
        fixture.ask("PUT", `/second-factors/passkeys/${id}`, { cookie, body: { name } });
      expect((await rename(" Phone ")).status).toBe(204);
      expect((await rename("\n")).body.code).toBe("body_invalid");
      expect((await listed())[0].name).toBe("Phone");
      const remove = () => fixture.ask("DELETE", `/second-factors/passkeys/${id}`, { cookie });
      expect((await remove()).status).toBe(204);
      expect((await remove()).body.code).toBe("factor_not_found");
      expect(await listed()).toHaveLength(1);
    });

    test("is not to be had at an IP address", async () => {
      const cookie = await fixture.signInByLink(shop);
      for (const at of ["http://192.0.2.1:8080", "http://[2001:db8::1]:8080"]) {
        const asked = await fixture.ask("POST", "/second-factors/passkeys", { cookie, at });
        expect(asked.body.code).toBe("passkeys_unavailable");
        const { body } = await fixture.ask("GET", "/second-factors", { cookie, at });
        expect(body.passkeyOrigin).toBeNull();
      }
    });

    test("cannot be asked for without end from one address", async () => {
      const statuses = [];
      for (let count = 0; count < 31; count++) statuses.push((await request()).status);
      expect(statuses).toEqual([...Array(30).fill(200), 429]);
    });
  }));
