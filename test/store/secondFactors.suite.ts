/** What every store of second factors does, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import {
  type Passkey,
  passkeysPerAccountMax,
  pendingSignInMs,
  type Totp,
} from "../../src/accounts/secondFactors.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { linkFor, nowMs, password, sessionOf, shop, withAccounts } from "./accountSamples.ts";

const totp = (changes: Partial<Totp> = {}): Totp => ({
  account: "shop",
  sealed: "sealed",
  lastStep: 7,
  createdAtMs: nowMs,
  ...changes,
});

const passkey = (name: string, changes: Partial<Passkey> = {}): Passkey => ({
  id: `psk_${name}`,
  account: "shop",
  name,
  credentialId: `credential of ${name}`,
  publicKey: "key",
  counter: 0,
  transports: ["usb", "nfc"],
  createdAtMs: nowMs,
  usedAtMs: undefined,
  ...changes,
});

const codes = ["hash of one", "hash of two"];
const none = { passkeys: [], totp: undefined, recoveryCodesLeft: 0 };

/** `openStores` gives another handle on the same database, which is empty when a test begins. */
export function describeSecondFactors(engine: string, openStores: () => Promise<Stores>): void {
  async function opened() {
    const stores = await openStores();
    await withAccounts(stores);
    return stores;
  }
  const add = ({ secondFactors }: Stores, factor: Passkey | Totp) =>
    secondFactors.add({ factor, atMs: nowMs, recoveryCodes: codes });

  /** With an app, and a sign-in whose second step is to come. */
  async function withPending(name = "first") {
    const stores = await opened();
    await add(stores, totp());
    expect(await stores.accounts.addSession(sessionOf("shop", name), 1)).toBe("pending");
    return stores;
  }
  const completion = (name: string, changes = {}) => ({
    pending: "hash of first",
    atMs: nowMs,
    proof: { kind: "totp", was: totp(), step: 8 } as const,
    session: sessionOf("shop", name),
    ...changes,
  });

  describe(`second factors on ${engine}`, () => {
    test("are stored as they are added, the first with recovery codes", async () => {
      const stores = await opened();
      const { secondFactors } = stores;
      expect(await secondFactors.factorsOf("shop")).toEqual(none);
      expect(await add(stores, passkey("a"))).toBe("added_with_codes");
      expect(await add(stores, totp())).toBe("added");
      expect(await add(stores, passkey("b", { createdAtMs: nowMs + 1 }))).toBe("added");
      const other = (await openStores()).secondFactors;
      expect(await other.factorsOf("shop")).toEqual({
        passkeys: [passkey("a"), passkey("b", { createdAtMs: nowMs + 1 })],
        totp: totp(),
        recoveryCodesLeft: 2,
      });
      expect(await other.findPasskey("credential of b")).toMatchObject({ id: "psk_b" });
      expect(await other.findPasskey("credential of c")).toBeUndefined();
      expect(await other.factorsOf("operator")).toEqual(none);
      expect((await stores.accounts.list()).map((each) => each.hasSecondFactor)).toEqual([
        false,
        true,
      ]);
    });

    test("are one app, which a newer one replaces, and so many passkeys", async () => {
      const stores = await opened();
      await add(stores, totp());
      await add(stores, totp({ sealed: "newer", lastStep: 3 }));
      for (let index = 0; index < passkeysPerAccountMax; index++) {
        expect(await add(stores, passkey(String(index)))).toBe("added");
      }
      expect(await add(stores, passkey("more"))).toBe("full");
      const { totp: stored, passkeys } = await stores.secondFactors.factorsOf("shop");
      expect([stored?.sealed, passkeys.length]).toEqual(["newer", passkeysPerAccountMax]);
    });

    test("are passkeys of one account: of several that add one at once, one succeeds", async () => {
      const stores = await opened();
      const handles = [stores, await openStores()];
      const outcomes = await Promise.all(
        ["shop", "operator", "shop", "operator"].map((account, index) =>
          add(
            handles[index % 2] ?? stores,
            passkey("a", { id: `psk_${index}`, account, credentialId: "the same" }),
          ),
        ),
      );
      expect(outcomes.toSorted()).toEqual(["added_with_codes", "known", "known", "known"]);
    });

    test("are removed by their own account, and codes with the last of them", async () => {
      const stores = await opened();
      const { secondFactors } = stores;
      for (const factor of [passkey("a"), totp()]) await add(stores, factor);
      const removal = { account: "shop", passkey: "psk_a", atMs: nowMs, keepsOne: true };
      expect(await secondFactors.remove({ ...removal, account: "operator" })).toBe("absent");
      expect(await secondFactors.renamePasskey("operator", "psk_a", "mine")).toBe(false);
      expect(await secondFactors.renamePasskey("shop", "psk_a", "Laptop")).toBe(true);
      expect((await secondFactors.factorsOf("shop")).passkeys[0]?.name).toBe("Laptop");
      expect(await secondFactors.remove(removal)).toBe("removed");
      expect(await secondFactors.remove(removal)).toBe("absent");
      const last = { ...removal, passkey: undefined };
      expect(await secondFactors.remove(last)).toBe("last");
      expect((await secondFactors.factorsOf("shop")).recoveryCodesLeft).toBe(2);
      expect(await secondFactors.remove({ ...last, keepsOne: false })).toBe("removed");
      expect(await secondFactors.factorsOf("shop")).toEqual(none);
      expect(await secondFactors.replaceRecoveryCodes("shop", codes, nowMs)).toBe(false);
    });

    test("of two that are removed at the same time, one stays where one must", async () => {
      const stores = await opened();
      for (const name of ["a", "b"]) await add(stores, passkey(name));
      const handles = [stores, await openStores()];
      const outcomes = await Promise.all(
        ["psk_a", "psk_b"].map((id, index) =>
          handles[index]?.secondFactors.remove({
            account: "shop",
            passkey: id,
            atMs: nowMs,
            keepsOne: true,
          }),
        ),
      );
      expect(outcomes.toSorted()).toEqual(["last", "removed"]);
    });

    test("are reset together, which ends sessions and sign-ins", async () => {
      const stores = await opened();
      const { accounts, secondFactors } = stores;
      await accounts.addSession(sessionOf("shop", "open"), 1);
      await add(stores, totp());
      await accounts.addSession(sessionOf("shop", "first"), 1);
      expect(await secondFactors.reset("nobody", nowMs)).toBe(false);
      expect(await secondFactors.reset("shop", nowMs)).toBe(true);
      expect(await secondFactors.factorsOf("shop")).toEqual(none);
      expect(await secondFactors.findPending("hash of first")).toBeUndefined();
      expect(await accounts.findSession("hash of open")).toBeUndefined();
      expect(await accounts.addSession(sessionOf("shop", "next"), 1)).toBe("session");
    });
  });

  describe(`a sign-in in two steps on ${engine}`, () => {
    test("is no session before the second", async () => {
      const { accounts, secondFactors } = await withPending();
      expect(await accounts.findSession("hash of first")).toBeUndefined();
      expect(await accounts.listSessions("shop")).toEqual([]);
      expect(await secondFactors.findPending("hash of first")).toEqual({
        hash: "hash of first",
        account: "shop",
        endsAtMs: nowMs + pendingSignInMs,
      });
      expect(await secondFactors.completeSignIn(completion("second"))).toBe(true);
      expect(await accounts.findSession("hash of second")).toMatchObject({ hasSecondFactor: true });
      expect(await secondFactors.findPending("hash of first")).toBeUndefined();
    });

    test("also follows a one-time link, which sets the password all the same", async () => {
      const { accounts, secondFactors } = await withPending();
      await accounts.issueLink(linkFor(shop, "link"));
      const use = { hash: "hash of link", atMs: nowMs, session: sessionOf("shop", "linked") };
      expect(await accounts.useLink({ ...use, password: password("second") })).toBe("pending");
      expect((await accounts.find("shop"))?.password).toBe("second");
      // The password that the other sign-in began with is no longer that of the account.
      expect(await secondFactors.findPending("hash of first")).toBeUndefined();
      expect(await secondFactors.findPending("hash of linked")).toBeDefined();
    });

    test("of many that complete it at once with one code, one is told true", async () => {
      const stores = await withPending();
      await stores.accounts.addSession(sessionOf("shop", "other"), 1);
      const handles = [stores, await openStores()];
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const pending = index % 4 < 2 ? "hash of first" : "hash of other";
          const attempt = completion(String(index), { pending });
          return handles[index % 2]?.secondFactors.completeSignIn(attempt);
        }),
      );
      expect(outcomes.filter((each) => each)).toHaveLength(1);
      expect(await stores.accounts.listSessions("shop")).toHaveLength(1);
    });

    test("is completed by a recovery code once", async () => {
      const { accounts, secondFactors } = await withPending();
      await accounts.addSession(sessionOf("shop", "again"), 1);
      const proof = { kind: "recovery", hash: "hash of one" } as const;
      const wrong = { kind: "recovery", hash: "hash of none" } as const;
      expect(await secondFactors.completeSignIn(completion("a", { proof: wrong }))).toBe(false);
      expect(await secondFactors.completeSignIn(completion("a", { proof }))).toBe(true);
      const again = completion("b", { proof, pending: "hash of again" });
      expect(await secondFactors.completeSignIn(again)).toBe(false);
      expect((await secondFactors.factorsOf("shop")).recoveryCodesLeft).toBe(1);
    });

    test("is completed by a passkey that counts further, or does not count", async () => {
      const stores = await withPending();
      const { accounts, secondFactors } = stores;
      await add(stores, passkey("counts", { counter: 5 }));
      await add(stores, passkey("never"));
      const attempt = async (id: string, counter: number, name: string) => {
        await accounts.addSession(sessionOf("shop", `for ${name}`), 1);
        const proof = { kind: "passkey", id: `psk_${id}`, counter } as const;
        const pending = `hash of for ${name}`;
        return secondFactors.completeSignIn(completion(name, { proof, pending }));
      };
      expect(await attempt("counts", 5, "a")).toBe(false);
      expect(await attempt("counts", 4, "b")).toBe(false);
      expect(await attempt("counts", 0, "c")).toBe(false);
      expect(await attempt("counts", 6, "d")).toBe(true);
      expect(await attempt("counts", 6, "e")).toBe(false);
      expect(await attempt("never", 0, "f")).toBe(true);
      expect(await attempt("never", 0, "g")).toBe(true);
      expect((await secondFactors.factorsOf("shop")).passkeys[0]).toMatchObject({
        counter: 6,
        usedAtMs: nowMs,
      });
    });

    test("is not completed late, by another account, or when that is disabled", async () => {
      const { accounts, secondFactors } = await withPending();
      const late = { atMs: nowMs + pendingSignInMs };
      expect(await secondFactors.completeSignIn(completion("a", late))).toBe(false);
      const stranger = { session: sessionOf("operator", "b") };
      expect(await secondFactors.completeSignIn(completion("b", stranger))).toBe(false);
      await accounts.setDisabled({ account: "shop", holder: shop, atMs: nowMs });
      expect(await secondFactors.findPending("hash of first")).toBeUndefined();
      expect(await secondFactors.completeSignIn(completion("c"))).toBe(false);
      expect(await accounts.listSessions("shop")).toEqual([]);
    });

    test("is over with a new password, by ending it, and is swept away", async () => {
      const { accounts, secondFactors } = await withPending();
      const change = { account: "shop", version: 1, password: password("second"), keep: "none" };
      await accounts.changePassword(change);
      expect(await secondFactors.findPending("hash of first")).toBeUndefined();
      await accounts.addSession(sessionOf("shop", "next"), 2);
      await secondFactors.endPending("hash of next");
      expect(await secondFactors.findPending("hash of next")).toBeUndefined();
      const alone = { hash: "alone", account: undefined, endsAtMs: nowMs + 10 };
      await secondFactors.addPending(alone, nowMs);
      expect(await secondFactors.findPending("alone")).toEqual(alone);
      await secondFactors.addPending({ ...alone, hash: "later" }, nowMs + 10);
      expect(await secondFactors.findPending("alone")).toBeUndefined();
    });

    test("has one challenge at a time, which is taken once, by any process", async () => {
      const { secondFactors } = await opened();
      const other = (await openStores()).secondFactors;
      const challenge = { boundTo: "me", challenge: "one", endsAtMs: nowMs + 10 };
      await secondFactors.setChallenge(challenge, nowMs);
      expect(await other.takeChallenge("you", nowMs)).toBeUndefined();
      await other.setChallenge({ ...challenge, challenge: "two" }, nowMs);
      const taken = await Promise.all(
        [secondFactors, other].map((each) => each.takeChallenge("me", nowMs)),
      );
      expect(taken.toSorted()).toEqual(["two", undefined]);
      await secondFactors.setChallenge(challenge, nowMs);
      expect(await other.takeChallenge("me", nowMs + 10)).toBeUndefined();
    });
  });
}
