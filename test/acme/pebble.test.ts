/** The client against an authority that others wrote. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { AcmeAuthority, type AcmeOptions } from "../../src/hosting/acme/authority.ts";
import { renewalNameOf } from "../../src/hosting/acme/certificates.ts";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { identitiesOf, issuedIn, KeptAccounts, refusalIn } from "./acmeFixture.ts";
import { missingOf, type Pebble, startPebble } from "./pebble.ts";

const missing = missingOf(["pebble", "openssl"]);
let pebble: Pebble;

function client(options: Partial<AcmeOptions> = {}): AcmeAuthority {
  return new AcmeAuthority({
    clock: systemClock,
    accounts: new KeptAccounts(),
    vault: new Vault("a secret of this test", systemClock),
    directory: pebble.directory,
    contact: "operator@example.com",
    trustPem: pebble.trustPem,
    termsAgreed: true,
    pollMs: 20,
    ...options,
  });
}

function request(host: string) {
  const { signal } = new AbortController();
  const ignored = async () => {};
  return { host, replaces: undefined, placed: ignored, publish: ignored, signal };
}

describeUnless(missing, "pebble", () => {
  beforeAll(async () => {
    pebble = await startPebble({
      VA_ALWAYS_VALID: "1",
      VA_NOSLEEP: "1",
      WFE_NONCEREJECT: "30",
      AUTHZREUSE: "0",
    });
  });
  afterAll(() => pebble.stop());

  test("issues a certificate that names its issuer's key, though it refuses a third of all nonces", async () => {
    const { chainPem } = issuedIn(await client().order(request("docs.example.com")));
    expect(new X509Certificate(chainPem).subjectAltName).toBe("DNS:docs.example.com");
    expect(chainPem.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(1);
    const [, serial = ""] = renewalNameOf(chainPem)?.split(".") ?? [];
    const { serialNumber } = new X509Certificate(chainPem);
    expect(BigInt(`0x${Buffer.from(serial, "base64url").toString("hex")}`)).toBe(
      BigInt(`0x${serialNumber}`),
    );
  });

  test("issues to many orders at once, through one account", async () => {
    const authority = client();
    const hosts = Array.from({ length: 10 }, (_, index) => `n${index}.example.com`);
    const outcomes = await Promise.all(hosts.map((host) => authority.order(request(host))));
    const names = outcomes.map(
      (each) => new X509Certificate(issuedIn(each).chainPem).subjectAltName,
    );
    expect(names).toEqual(hosts.map((host) => `DNS:${host}`));
  });

  test("is told the same account by a client that starts later", async () => {
    const accounts = new KeptAccounts();
    issuedIn(await client({ accounts }).order(request("a.example.com")));
    const before = [...accounts.kept.values()];
    issuedIn(await client({ accounts }).order(request("b.example.com")));
    expect([...accounts.kept.values()]).toEqual(before);
  });

  test("refuses a name that it does not like, and we know that it is for good", async () => {
    const { reason } = refusalIn(await client().order(request("not_a_name.example.com")));
    expect(reason).toBe("policy");
  });

  test("does not get an account without its terms", async () => {
    const outcome = await client({ termsAgreed: false }).order(request("docs.example.com"));
    expect(refusalIn(outcome).reason).toBe("policy");
  });

  test("is not trusted without its root", async () => {
    const outcome = await client({ trustPem: undefined }).order(request("docs.example.com"));
    expect(refusalIn(outcome).reason).toBe("unavailable");
  });

  test("offers no renewal information and no names for CAA records", async () => {
    expect(await client().renewalWindow("a.b")).toEqual({ kind: "not_offered" });
    expect(await identitiesOf(client())).toEqual([]);
  });
});

describeUnless(missing, "pebble that requires an account made elsewhere", () => {
  const hmacKey = Buffer.from("a key that this test shares with pebble");
  beforeAll(async () => {
    const settings = { VA_ALWAYS_VALID: "1", VA_NOSLEEP: "1" };
    pebble = await startPebble(settings, { "kid-1": hmacKey.toString("base64url") });
  });
  afterAll(() => pebble.stop());

  test("issues to one that is bound to it", async () => {
    const bound = client({ externalAccount: { kid: "kid-1", hmacKey } });
    issuedIn(await bound.order(request("docs.example.com")));
  });

  for (const [what, externalAccount] of [
    ["without it", undefined],
    ["with another key", { kid: "kid-1", hmacKey: Buffer.from("another key") }],
    ["with an unknown id", { kid: "kid-2", hmacKey }],
  ] as const) {
    test(`refuses one ${what}`, async () => {
      const outcome = await client({ externalAccount }).order(request("docs.example.com"));
      expect(refusalIn(outcome).reason).toBe("policy");
    });
  }
});
