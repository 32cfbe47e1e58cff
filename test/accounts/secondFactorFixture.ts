/** The factors of an account, added and used over the API, as a browser does. */
import { afterEach, beforeEach, expect } from "bun:test";
import { totpCode, totpStep } from "../../src/accounts/oneTimeCodes.ts";
import {
  openSessionFixture,
  phrase,
  type SessionFixture,
  type SessionFixtureOptions,
} from "./sessionFixture.ts";
import { SoftAuthenticator } from "./softAuthenticator.ts";

export const party = { rpId: "petstore.test", origin: "https://petstore.test:8080" };
export let fixture: SessionFixture;

export async function addApp(cookie: string) {
  const { body } = await fixture.ask("POST", "/second-factors/totp", { cookie });
  const code = codeOf(body.secret);
  const confirmed = await fixture.ask("PUT", "/second-factors/totp", {
    cookie,
    body: { setup: body.setup, code },
  });
  if (confirmed.status !== 200) throw new Error(JSON.stringify(confirmed.body));
  return { secret: body.secret as string, codes: confirmed.body.recoveryCodes as string[] };
}

/** The code that an app shows now. */
export const codeOf = (secret: string) => totpCode(secret, totpStep(fixture.clock.now()));

export async function addPasskey(cookie: string, changes = {}) {
  const { body } = await fixture.ask("POST", "/second-factors/passkeys", { cookie });
  const authenticator = new SoftAuthenticator();
  const made = authenticator.create({ ...party, challenge: body.challenge, ...changes });
  const added = await fixture.ask("PUT", "/second-factors/passkeys", {
    cookie,
    body: { name: "Laptop", ...made },
  });
  return { authenticator, added };
}

/** The cookie of a sign-in of the shop whose second step is to come. */
export async function firstStep(by = fixture.api) {
  const { status, cookie, body } = await fixture.signIn("shop", phrase, {}, by);
  expect(status).toBe(202);
  return { cookie, body };
}

export const secondStep = (cookie: string | undefined, body: object, by = fixture.api) =>
  fixture.ask("POST", "/session/second-factor", { cookie, body }, by);
export const statusOf = async (cookie: string, by = fixture.api) =>
  (await fixture.ask("GET", "/session", { cookie }, by)).status;

export function withFixture(options: SessionFixtureOptions, body: () => void): void {
  beforeEach(async () => {
    fixture = await openSessionFixture(options);
  });
  afterEach(() => fixture.close());
  body();
}
