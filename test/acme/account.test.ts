import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AcmeAccount } from "../../src/hosting/domains/certificateAuthority.ts";
import { Vault } from "../../src/hosting/domains/vault.ts";
import { rejectionOf } from "../store/rejection.ts";
import { problem } from "./fakeAuthority.ts";
import { issuedIn, KeptAccounts, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await new World().start();
});
afterEach(() => {
  world.ca.stop();
  expect(world.ca.violations).toEqual([]);
});

const registrations = () =>
  world.ca.seen.filter(({ step }) => step === "newAccount").map(({ payload }) => payload);
const kept = () => [...world.accounts.kept.values()][0] as AcmeAccount;

describe("the account", () => {
  test("is made once, and used by every client that shares the store", async () => {
    issuedIn(await world.order());
    issuedIn(await world.order({ host: "second.example.com" }));
    expect(registrations()).toHaveLength(1);
    expect(world.ca.accounts.size).toBe(1);
  });

  test("is kept with its key sealed, for this directory and nothing else", async () => {
    issuedIn(await world.order());
    const { directory, url, sealedKey } = kept();
    expect(directory).toBe(`${world.ca.origin}/directory`);
    expect([...world.ca.accounts.keys()]).toEqual([url]);
    expect(world.vault.open(sealedKey, `acme account ${directory}`)).toStartWith(
      "-----BEGIN PRIVATE KEY-----",
    );
    expect(() => world.vault.open(sealedKey, "acme account elsewhere")).toThrow();
  });

  test("is another worker's when that one was quicker", async () => {
    const theirs = new KeptAccounts();
    issuedIn(await world.order({}, { accounts: theirs }));
    const quicker = [...theirs.kept.values()][0] as AcmeAccount;
    class Raced extends KeptAccounts {
      override async keepAccount(): Promise<AcmeAccount> {
        return quicker;
      }
    }
    issuedIn(await world.order({ host: "second.example.com" }, { accounts: new Raced() }));
    expect(world.ca.accounts.size).toBe(2);
    const orders = world.ca.seen.filter(({ step }) => step === "newOrder");
    expect(orders.map(({ kid }) => kid)).toEqual([quicker.url, quicker.url]);
  });

  test("says who to write to, and agrees to terms where there are any", async () => {
    world.ca.meta = { termsOfService: "https://ca.example/terms" };
    issuedIn(await world.order({}, { contact: "operator@example.com" }));
    expect(registrations()).toEqual([
      { termsOfServiceAgreed: true, contact: ["mailto:operator@example.com"] },
    ]);
  });

  test("gives no contact where there is none", async () => {
    issuedIn(await world.order());
    expect(registrations()).toEqual([{}]);
  });

  test("is not made while the terms are not agreed to", async () => {
    world.ca.meta = { termsOfService: "https://ca.example/terms" };
    const refusal = await world.refusal({}, { termsAgreed: false });
    expect(refusal.reason).toBe("policy");
    expect(refusal.detail).toContain("terms");
    expect(registrations()).toEqual([]);
  });

  test("needs no agreement where there are no terms", async () => {
    issuedIn(await world.order({}, { termsAgreed: false }));
  });

  test("is not made where it must be arranged beforehand", async () => {
    world.ca.meta = { externalAccountRequired: true };
    const refusal = await world.refusal();
    expect(refusal.reason).toBe("policy");
    expect(refusal.detail).toContain("external account binding");
    expect(registrations()).toEqual([]);
  });

  test("without an address is the authority's failure, and nothing is kept", async () => {
    world.ca.when("newAccount", () => ({ status: 201, body: {} }));
    expect((await world.refusal()).reason).toBe("unavailable");
    expect(world.accounts.kept.size).toBe(0);
  });
});

describe("an account that the authority has forgotten", () => {
  test("is registered again with the same key", async () => {
    const client = world.client();
    issuedIn(await client.order(world.request()));
    const [before] = world.ca.accounts.values();
    world.ca.forgetAccounts();
    issuedIn(await client.order(world.request({ host: "second.example.com" })));
    expect([...world.ca.accounts.values()]).toEqual([before as NonNullable<typeof before>]);
  });

  test("is registered again once for all orders that notice", async () => {
    const client = world.client();
    issuedIn(await client.order(world.request()));
    world.ca.forgetAccounts();
    const orders = Array.from({ length: 8 }, (_, index) =>
      client.order(world.request({ host: `h${index}.example.com` })),
    );
    for (const outcome of await Promise.all(orders)) issuedIn(outcome);
    expect(registrations()).toHaveLength(2);
  });

  test("is registered again in the middle of an order", async () => {
    world.ca.when("finalize", (nth) => {
      if (nth === 1) world.ca.forgetAccounts();
      return undefined;
    });
    issuedIn(await world.order());
    expect(registrations()).toHaveLength(2);
  });

  test("ends the order when the authority forgets it every time", async () => {
    world.ca.when("newOrder", () => problem(400, "accountDoesNotExist"));
    expect((await world.refusal()).reason).toBe("unavailable");
    expect(registrations()).toHaveLength(2);
  });

  test("and may not come back is a refusal", async () => {
    const client = world.client();
    issuedIn(await client.order(world.request()));
    world.ca.forgetAccounts();
    world.ca.when("newAccount", () => problem(403, "unauthorized", { detail: "deactivated" }));
    expect(await client.order(world.request())).toMatchObject({
      kind: "refused",
      refusal: { reason: "policy", detail: "deactivated" },
    });
  });
});

describe("an account that was sealed with another secret", () => {
  test("gives way to one for the new secret, which is kept beside it", async () => {
    issuedIn(await world.order());
    const before = kept();
    const vault = new Vault("another secret", world.clock);
    issuedIn(await world.order({}, { vault }));
    expect(kept()).toEqual(before);
    const registered = world.ca.accounts.size;
    issuedIn(await world.order({}, { vault }));
    expect(world.ca.accounts.size).toBe(registered);
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
    const client = world.client({ accounts: new Broken() });
    expect((await rejectionOf(client.order(world.request()))).message).toBe("the disk is full");
    broken = false;
    issuedIn(await client.order(world.request()));
  });

  test("such as a trusted root that is no certificate, at the start", () => {
    expect(() => world.client({ trustPem: "nonsense" })).toThrow();
  });
});
