import { describe, expect, test } from "bun:test";
import { type AccessHolder, mintAccess } from "../../src/accounts/access.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { nowMs, projectIn } from "./domainSamples.ts";

/** What every store of access tokens promises. */
export function describeAccess(engine: string, open: () => Promise<Stores>): void {
  const clock = fakeClock(nowMs, 11);
  const minted = (holder: AccessHolder) => mintAccess(holder, "deploy", clock).access;

  describe(`access tokens on ${engine}`, () => {
    test("are found by their hash, as they were added", async () => {
      const stores = await open();
      await projectIn(stores, "shop");
      const owners = minted({ kind: "owner", id: "shop" });
      const operators = minted({ kind: "operator" });
      expect(await stores.access.add(owners)).toBe(true);
      expect(await stores.access.add(operators)).toBe(true);
      expect(await stores.access.findByHash(owners.hash)).toEqual(owners);
      expect(await stores.access.findByHash(operators.hash)).toEqual(operators);
      expect(await stores.access.findByHash(owners.id)).toBeUndefined();
      expect(await stores.access.list()).toEqual([owners, operators]);
    });

    test("are for owners that there are", async () => {
      const { access } = await open();
      expect(await access.add(minted({ kind: "owner", id: "nobody" }))).toBe(false);
      expect(await access.list()).toEqual([]);
    });

    test("are revoked once: the first instant stays", async () => {
      const { access } = await open();
      const token = minted({ kind: "operator" });
      await access.add(token);
      expect(await access.revoke(token.id, nowMs + 1)).toBe(true);
      expect(await access.revoke(token.id, nowMs + 2)).toBe(true);
      expect(await access.findByHash(token.hash)).toEqual({ ...token, revokedAtMs: nowMs + 1 });
      expect(await access.revoke("acc_none", nowMs)).toBe(false);
    });

    test("are not found while their account is disabled, and others are", async () => {
      const stores = await open();
      const other = await open();
      const [shop, operator] = [{ kind: "owner", id: "shop" }, { kind: "operator" }] as const;
      // Nobody signs in as this owner, whose name is the operator's.
      const namesake = { kind: "owner", id: "operator" } as const;
      await projectIn(stores, "shop");
      await stores.sites.addOwner({ id: "operator", name: "Operator", plan: "free" });
      const [owners, operators, namesakes] = [minted(shop), minted(operator), minted(namesake)];
      for (const token of [owners, operators, namesakes]) await stores.access.add(token);
      const found = async () =>
        Promise.all(
          [owners, operators, namesakes].map(
            async ({ hash }) => (await other.access.findByHash(hash)) !== undefined,
          ),
        );
      await stores.accounts.setDisabled({ account: "shop", holder: shop, atMs: nowMs });
      expect(await found()).toEqual([false, true, true]);
      await stores.accounts.setDisabled({ account: "shop", holder: shop, atMs: undefined });
      await stores.accounts.setDisabled({ account: "operator", holder: operator, atMs: nowMs });
      expect(await found()).toEqual([true, false, true]);
    });

    test("are the same to every process on the store", async () => {
      const [one, other] = [await open(), await open()];
      const token = minted({ kind: "operator" });
      await one.access.add(token);
      expect(await other.access.findByHash(token.hash)).toEqual(token);
      await other.access.revoke(token.id, nowMs);
      expect(await one.access.findByHash(token.hash)).toMatchObject({ revokedAtMs: nowMs });
    });
  });
}
