import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { Vault } from "../../src/core/vault.ts";
import type { AcmeAccount } from "../../src/hosting/domains/certificateAuthority.ts";
import { rejectionOf } from "../store/rejection.ts";
import { AcmeFixture, issuedIn, KeptAccounts } from "./acmeFixture.ts";
import { problem } from "./fakeAuthority.ts";

let fixture: AcmeFixture;
beforeEach(async () => {
  fixture = await new AcmeFixture().start();
});
afterEach(() => {
  fixture.ca.stop();
  expect(fixture.ca.violations).toEqual([]);
});

const registrations = () =>
  fixture.ca.seen.filter(({ step }) => step === "newAccount").map(({ payload }) => payload);
const kept = () => [...fixture.accounts.kept.values()][0] as AcmeAccount;

describe("the account", () => {
  test("is made once, and used by every client that shares the store", async () => {
    issuedIn(await fixture.order());
    issuedIn(await fixture.order({ host: "second.example.com" }));
    expect(registrations()).toHaveLength(1);
    expect(fixture.ca.accounts.size).toBe(1);
  });

  test("is kept with its key sealed, for this directory and nothing else", async () => {
    issuedIn(await fixture.order());
    const { directory, url, sealedKey } = kept();
    expect(directory).toBe(`${fixture.ca.origin}/directory`);
    expect([...fixture.ca.accounts.keys()]).toEqual([url]);
    expect(fixture.vault.open(sealedKey, `acme account ${directory}`)).toStartWith(
      "-----BEGIN PRIVATE KEY-----",
    );
    expect(() => fixture.vault.open(sealedKey, "acme account elsewhere")).toThrow();
  });

  test("is another worker's when that one was quicker", async () => {
    const theirs = new KeptAccounts();
    issuedIn(await fixture.order({}, { accounts: theirs }));
    const quicker = [...theirs.kept.values()][0] as AcmeAccount;
    class Raced extends KeptAccounts {
      override async keepAccount(): Promise<AcmeAccount> {
        return quicker;
      }
    }
    issuedIn(await fixture.order({ host: "second.example.com" }, { accounts: new Raced() }));
    expect(fixture.ca.accounts.size).toBe(2);
    const orders = fixture.ca.seen.filter(({ step }) => step === "newOrder");
    expect(orders.map(({ kid }) => kid)).toEqual([quicker.url, quicker.url]);
  });

  test("says who to write to, and agrees to terms where there are any", async () => {
    fixture.ca.meta = { termsOfService: "https://ca.example/terms" };
    issuedIn(await fixture.order({}, { contact: "operator@example.com" }));
    expect(registrations()).toEqual([
      { termsOfServiceAgreed: true, contact: ["mailto:operator@example.com"] },
    ]);
  });

  test("gives no contact where there is none", async () => {
    issuedIn(await fixture.order());
    expect(registrations()).toEqual([{}]);
  });

  test("is not made while the terms are not agreed to", async () => {
    fixture.ca.meta = { termsOfService: "https://ca.example/terms" };
    const refusal = await fixture.refusal({}, { termsAgreed: false });
    expect(refusal.reason).toBe("policy");
    expect(refusal.detail).toContain("terms");
    expect(registrations()).toEqual([]);
  });

  test("needs no agreement where there are no terms", async () => {
    issuedIn(await fixture.order({}, { termsAgreed: false }));
  });

  test("is not made where it must be arranged beforehand", async () => {
    fixture.ca.meta = { externalAccountRequired: true };
    const refusal = await fixture.refusal();
    expect(refusal.reason).toBe("policy");
    expect(refusal.detail).toContain("external account binding");
    expect(registrations()).toEqual([]);
  });

  test("is bound to the one made elsewhere by a signature of its key", async () => {
    fixture.ca.meta = { externalAccountRequired: true };
    const hmacKey = Buffer.from("the key of this test");
    issuedIn(await fixture.order({}, { externalAccount: { kid: "kid-1", hmacKey } }));
    const [{ externalAccountBinding: bound } = {}] = registrations() as [
      { externalAccountBinding?: Record<"protected" | "payload" | "signature", string> },
    ];
    const read = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(read(bound?.protected)).toEqual({
      alg: "HS256",
      kid: "kid-1",
      url: `${fixture.ca.origin}/newAccount`,
    });
    expect(read(bound?.payload)).toMatchObject({ kty: "EC", crv: "P-256" });
    const signed = createHmac("sha256", hmacKey).update(`${bound?.protected}.${bound?.payload}`);
    expect(bound?.signature).toBe(signed.digest("base64url"));
  });

  test("without an address is the authority's failure, and nothing is kept", async () => {
    fixture.ca.when("newAccount", () => ({ status: 201, body: {} }));
    expect((await fixture.refusal()).reason).toBe("unavailable");
    expect(fixture.accounts.kept.size).toBe(0);
  });
});

describe("an account that the authority has forgotten", () => {
  test("is registered again with the same key", async () => {
    const client = fixture.client();
    issuedIn(await client.order(fixture.request()));
    const [before] = fixture.ca.accounts.values();
    fixture.ca.forgetAccounts();
    issuedIn(await client.order(fixture.request({ host: "second.example.com" })));
    expect([...fixture.ca.accounts.values()]).toEqual([before as NonNullable<typeof before>]);
  });

  test("is registered again once for all orders that notice", async () => {
    const client = fixture.client();
    issuedIn(await client.order(fixture.request()));
    fixture.ca.forgetAccounts();
    const orders = Array.from({ length: 8 }, (_, index) =>
      client.order(fixture.request({ host: `h${index}.example.com` })),
    );
    for (const outcome of await Promise.all(orders)) issuedIn(outcome);
    expect(registrations()).toHaveLength(2);
  });

  test("is registered again in the middle of an order", async () => {
    fixture.ca.when("finalize", (nth) => {
      if (nth === 1) fixture.ca.forgetAccounts();
      return undefined;
    });
    issuedIn(await fixture.order());
    expect(registrations()).toHaveLength(2);
  });

  test("ends the order when the authority forgets it every time", async () => {
    fixture.ca.when("newOrder", () => problem(400, "accountDoesNotExist"));
    expect((await fixture.refusal()).reason).toBe("unavailable");
    expect(registrations()).toHaveLength(2);
  });

  test("and may not come back is a refusal", async () => {
    const client = fixture.client();
    issuedIn(await client.order(fixture.request()));
    fixture.ca.forgetAccounts();
    fixture.ca.when("newAccount", () => problem(403, "unauthorized", { detail: "deactivated" }));
    expect(await client.order(fixture.request())).toMatchObject({
      kind: "refused",
      refusal: { reason: "policy", detail: "deactivated" },
    });
  });
});

describe("an account that was sealed with another secret", () => {
  test("gives way to one for the new secret, which is kept beside it", async () => {
    issuedIn(await fixture.order());
    const before = kept();
    const vault = new Vault("another secret", fixture.clock);
    issuedIn(await fixture.order({}, { vault }));
    expect(kept()).toEqual(before);
    const registered = fixture.ca.accounts.size;
    issuedIn(await fixture.order({}, { vault }));
    expect(fixture.ca.accounts.size).toBe(registered);
  });
});

describe("what is not the authority's doing is thrown", () => {
  test("such as a store that fails, and the next order tries again", async () => {
    let broken = true;
    class Broken extends KeptAccounts {
      override account(directory: string) {
        if (broken) throw new Error("the disk is full");
        return super.account(directory);
      }
    }
    const client = fixture.client({ accounts: new Broken() });
    expect((await rejectionOf(client.order(fixture.request()))).message).toBe("the disk is full");
    broken = false;
    issuedIn(await client.order(fixture.request()));
  });

  test("such as a trusted root that is no certificate, at the start", () => {
    expect(() => fixture.client({ trustPem: "nonsense" })).toThrow();
  });
});
