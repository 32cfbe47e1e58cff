/** What every store does about an account that is disabled. */
import { describe, expect, test } from "bun:test";
import type { Stores } from "../../src/storage/stores.ts";
import { linkFor, nowMs, password, sessionOf, shop, withAccounts } from "./accountSamples.ts";

/** `openStores` gives another handle on the same database, which is empty when a test begins. */
export function describeDisabledAccounts(engine: string, openStores: () => Promise<Stores>): void {
  const idsOf = async (accounts: Stores["accounts"], account = "shop") =>
    (await accounts.listSessions(account)).map(({ id }) => id);

  describe(`a disabled account on ${engine}`, () => {
    const disabled = { account: "shop", holder: shop, atMs: nowMs };

    test("has no session, in any handle, and gets none", async () => {
      const accounts = await withAccounts(await openStores());
      const { accounts: other } = await openStores();
      for (const name of ["shop", "operator"]) await accounts.addSession(sessionOf(name, name), 1);
      expect(await other.findSession("hash of shop")).toBeDefined();
      expect(await accounts.setDisabled(disabled)).toBe(true);
      expect(await other.findSession("hash of shop")).toBeUndefined();
      expect(await other.addSession(sessionOf("shop", "late"), 1)).toBeUndefined();
      expect(await idsOf(other)).toEqual([]);
      expect(await idsOf(other, "operator")).toEqual(["ses_operator"]);
      expect(await other.setDisabled({ ...disabled, atMs: undefined })).toBe(true);
      expect(await accounts.addSession(sessionOf("shop", "again"), 1)).toBe("session");
    });

    test("is disabled since the first instant, and keeps its password", async () => {
      const accounts = await withAccounts(await openStores());
      await accounts.setDisabled(disabled);
      await accounts.setDisabled({ ...disabled, atMs: nowMs + 1 });
      expect(await accounts.find("shop")).toMatchObject({ password: "first", disabledAtMs: nowMs });
      expect((await accounts.list()).map(({ name, disabledAtMs }) => [name, disabledAtMs])).toEqual(
        [
          ["operator", undefined],
          ["shop", nowMs],
        ],
      );
    });

    test("has no link, and one that comes nevertheless leads nowhere", async () => {
      const accounts = await withAccounts(await openStores());
      await accounts.issueLink(linkFor(shop, "one"));
      await accounts.setDisabled(disabled);
      expect(await accounts.findLink("hash of one")).toBeUndefined();
      await accounts.issueLink(linkFor(shop, "two"));
      const use = { hash: "hash of two", atMs: nowMs, session: sessionOf("shop", "a") };
      expect(await accounts.useLink({ ...use, password: password("second") })).toBeUndefined();
      expect((await accounts.find("shop"))?.password).toBe("first");
    });

    test("can be one that nobody was invited to, of an owner that there is", async () => {
      const { accounts, sites } = await openStores();
      await sites.addOwner({ id: "shop", name: "The shop", plan: "paid" });
      expect(await accounts.setDisabled(disabled)).toBe(true);
      expect(await accounts.find("shop")).toMatchObject({ holder: shop, disabledAtMs: nowMs });
      const nobody = { account: "nobody", holder: { kind: "owner", id: "nobody" } } as const;
      expect(await accounts.setDisabled({ ...nobody, atMs: nowMs })).toBe(false);
      expect(await accounts.find("nobody")).toBeUndefined();
    });
  });
}
