/** What every store of accounts does, whichever engine it runs on. */
import { describe, expect, test } from "bun:test";
import type { AccessHolder } from "../../src/accounts/access.ts";
import { type SignInAttempt, sessionsPerAccountMax } from "../../src/accounts/accounts.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  linkFor,
  nameOf,
  nowMs,
  operator,
  password,
  sessionOf,
  shop,
  withAccounts,
} from "./accountSamples.ts";

const attempt = (changes: Partial<SignInAttempt> = {}): SignInAttempt => ({
  bucket: "00ff",
  atMs: nowMs,
  burst: 3,
  intervalMs: 1_000,
  ...changes,
});

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeAccounts(engine: string, openStores: () => Promise<Stores>): void {
  async function open() {
    const { accounts, sites } = await openStores();
    await sites.addOwner({ id: "shop", name: "The shop", plan: "paid" });
    return accounts;
  }

  const opened = async () => withAccounts(await openStores());

  const idsOf = async (accounts: Stores["accounts"], account = "shop") =>
    (await accounts.listSessions(account)).map(({ id }) => id);

  describe(`e-mail addresses on ${engine}`, () => {
    const change = (holder: AccessHolder, email: string | undefined) => ({
      account: nameOf(holder),
      holder,
      email,
    });

    test("make an account, and are replaced, listed and removed", async () => {
      const accounts = await open();
      expect(await accounts.setEmail(change(shop, "a@example.com"))).toBe(true);
      expect(await accounts.setEmail(change(shop, "b@example.com"))).toBe(true);
      expect(await accounts.setEmail(change(operator, "root@example.com"))).toBe(true);
      expect(await accounts.find("shop")).toMatchObject({ email: "b@example.com", holder: shop });
      const listed = [...(await accounts.listEmails())].sort();
      expect(listed).toEqual([
        ["operator", "root@example.com"],
        ["shop", "b@example.com"],
      ]);
      expect(await accounts.setEmail(change(shop, undefined))).toBe(true);
      expect((await accounts.find("shop"))?.email).toBeUndefined();
    });

    test("stay when a password is set, and are for owners that there are", async () => {
      const accounts = await opened();
      await accounts.setEmail(change(shop, "a@example.com"));
      expect(await accounts.find("shop")).toMatchObject({ passwordVersion: 1 });
      const nobody = change({ kind: "owner", id: "nobody" }, "a@example.com");
      expect(await accounts.setEmail(nobody)).toBe(false);
      expect(await accounts.find("nobody")).toBeUndefined();
    });
  });

  describe(`one-time links on ${engine}`, () => {
    test("are found by their hash, with whom they are for", async () => {
      const accounts = await open();
      for (const link of [linkFor(operator, "one"), linkFor(shop, "two")]) {
        expect(await accounts.issueLink(link)).toBe(true);
        expect(await accounts.findLink(link.hash)).toEqual(link);
      }
      expect(await accounts.findLink("hash of none")).toBeUndefined();
    });

    test("make an account, which has no password", async () => {
      const accounts = await open();
      await accounts.issueLink(linkFor(shop, "one"));
      expect(await accounts.find("shop")).toEqual({
        name: "shop",
        holder: shop,
        password: undefined,
        passwordVersion: 0,
        email: undefined,
        disabledAtMs: undefined,
        hasSecondFactor: false,
      });
      expect(await accounts.find("operator")).toBeUndefined();
    });

    test("are for owners that there are", async () => {
      const accounts = await open();
      expect(await accounts.issueLink(linkFor({ kind: "owner", id: "nobody" }, "one"))).toBe(false);
      expect(await accounts.find("nobody")).toBeUndefined();
      expect(await accounts.findLink("hash of one")).toBeUndefined();
    });

    test("end earlier ones for the same account, and no others", async () => {
      const accounts = await open();
      await accounts.issueLink(linkFor(operator, "operator's"));
      await accounts.issueLink(linkFor(shop, "one"));
      await accounts.issueLink(linkFor(shop, "two"));
      expect(await accounts.findLink("hash of one")).toBeUndefined();
      expect(await accounts.findLink("hash of two")).toBeDefined();
      expect(await accounts.findLink("hash of operator's")).toBeDefined();
    });

    test("of many uses at once, through several handles, one is told true", async () => {
      const handles = [await open(), (await openStores()).accounts, (await openStores()).accounts];
      await handles[0]?.issueLink(linkFor(shop, "one"));
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          handles[index % handles.length]?.useLink({
            hash: "hash of one",
            atMs: nowMs,
            session: sessionOf("shop", String(index)),
            password: password(`by ${index}`),
          }),
        ),
      );
      expect(outcomes.filter((used) => used)).toHaveLength(1);
      const winner = outcomes.indexOf("session");
      expect(await idsOf(handles[1] as Stores["accounts"])).toEqual([`ses_${winner}`]);
      expect((await handles[2]?.find("shop"))?.password).toBe(`by ${winner}`);
    });

    test("have expired at their last instant, and then change nothing", async () => {
      const accounts = await open();
      const link = linkFor(shop, "one");
      await accounts.issueLink(link);
      const use = { hash: link.hash, session: sessionOf("shop", "a"), password: password("p") };
      expect(await accounts.useLink({ ...use, atMs: link.expiresAtMs })).toBeUndefined();
      expect(await idsOf(accounts)).toEqual([]);
      expect((await accounts.find("shop"))?.password).toBeUndefined();
      expect(await accounts.useLink({ ...use, atMs: link.expiresAtMs - 1 })).toBe("session");
    });

    test("do not open another account than their own", async () => {
      const accounts = await opened();
      await accounts.issueLink(linkFor(shop, "one"));
      const session = sessionOf("operator", "a");
      const use = { hash: "hash of one", atMs: nowMs, session, password: undefined };
      expect(await accounts.useLink(use)).toBeUndefined();
      expect(await idsOf(accounts, "operator")).toEqual([]);
    });

    test("end the other sessions where a password is set, and else leave them", async () => {
      const accounts = await opened();
      await accounts.addSession(sessionOf("shop", "old"), 1);
      await accounts.addSession(sessionOf("operator", "other"), 1);
      const use = { atMs: nowMs, password: undefined };
      await accounts.issueLink(linkFor(shop, "one"));
      await accounts.useLink({ ...use, hash: "hash of one", session: sessionOf("shop", "a") });
      expect(await idsOf(accounts)).toEqual(["ses_a", "ses_old"]);
      expect((await accounts.find("shop"))?.password).toBe("first");
      await accounts.issueLink(linkFor(shop, "two"));
      const session = sessionOf("shop", "b");
      await accounts.useLink({
        ...use,
        hash: "hash of two",
        session,
        password: password("second"),
      });
      expect(await idsOf(accounts)).toEqual(["ses_b"]);
      expect(await accounts.find("shop")).toMatchObject({ password: "second", passwordVersion: 2 });
      expect(await idsOf(accounts, "operator")).toEqual(["ses_other"]);
    });
  });

  describe(`sessions on ${engine}`, () => {
    test("are found by their hash, with whose they are, in every handle", async () => {
      const accounts = await opened();
      const session = sessionOf("shop", "a", { agent: "Ünïcode 'quoted' 🗝", seenAtMs: nowMs + 5 });
      expect(await accounts.addSession(session, 1)).toBe("session");
      const { accounts: other } = await openStores();
      expect(await other.findSession(session.hash)).toEqual({
        session,
        holder: shop,
        hasSecondFactor: false,
      });
      await accounts.addSession(sessionOf("operator", "b"), 1);
      expect((await other.findSession("hash of b"))?.holder).toEqual(operator);
      expect(await other.findSession("hash of nobody")).toBeUndefined();
    });

    test("do not begin on a password that was changed meanwhile, or for nobody", async () => {
      const accounts = await opened();
      const change = { account: "shop", version: 1, password: password("second"), keep: "none" };
      expect(await accounts.changePassword(change)).toBe(true);
      expect(await accounts.addSession(sessionOf("shop", "a"), 1)).toBeUndefined();
      expect(await accounts.addSession(sessionOf("nobody", "b"), 0)).toBeUndefined();
      expect(await idsOf(accounts)).toEqual([]);
      expect(await accounts.addSession(sessionOf("shop", "a"), 2)).toBe("session");
    });

    test("are so many for an account and no more: the least recently used ones end", async () => {
      const accounts = await opened();
      await accounts.addSession(sessionOf("operator", "other", { seenAtMs: 1 }), 1);
      for (let index = 0; index < sessionsPerAccountMax; index++) {
        const seenAtMs = nowMs + (index === 0 ? 1_000 : index);
        await accounts.addSession(sessionOf("shop", String(index), { seenAtMs }), 1);
      }
      // By a clock that was set back.
      await accounts.addSession(sessionOf("shop", "last", { seenAtMs: nowMs - 1 }), 1);
      const ids = await idsOf(accounts);
      expect(ids).toHaveLength(sessionsPerAccountMax);
      expect([ids[0], ids.at(-1)]).toEqual(["ses_0", "ses_last"]);
      expect(ids).not.toContain("ses_1");
      expect(await idsOf(accounts, "operator")).toEqual(["ses_other"]);
    });

    test("that are over are swept away when another begins", async () => {
      const accounts = await opened();
      await accounts.addSession(sessionOf("operator", "over", { endsAtMs: nowMs + 10 }), 1);
      await accounts.addSession(sessionOf("shop", "a", { createdAtMs: nowMs + 9 }), 1);
      expect(await accounts.findSession("hash of over")).toBeDefined();
      await accounts.addSession(sessionOf("shop", "b", { createdAtMs: nowMs + 10 }), 1);
      expect(await accounts.findSession("hash of over")).toBeUndefined();
    });

    test("were seen last at the latest instant told, and an ended one stays ended", async () => {
      const accounts = await opened();
      await accounts.addSession(sessionOf("shop", "a"), 1);
      for (const later of [10, 30, 20]) await accounts.sawSession("hash of a", nowMs + later);
      expect((await accounts.findSession("hash of a"))?.session.seenAtMs).toBe(nowMs + 30);
      await accounts.endSession("shop", "ses_a");
      await accounts.sawSession("hash of a", nowMs + 40);
      expect(await accounts.findSession("hash of a")).toBeUndefined();
    });

    test("end one by one, by their own account alone, in every handle at once", async () => {
      const accounts = await opened();
      const { accounts: other } = await openStores();
      await accounts.addSession(sessionOf("shop", "a"), 1);
      await accounts.addSession(sessionOf("shop", "b"), 1);
      expect(await accounts.endSession("operator", "ses_a")).toBe(false);
      expect(await other.findSession("hash of a")).toBeDefined();
      expect(await accounts.endSession("shop", "ses_a")).toBe(true);
      expect(await other.findSession("hash of a")).toBeUndefined();
      expect(await accounts.endSession("shop", "ses_a")).toBe(false);
      expect(await idsOf(other)).toEqual(["ses_b"]);
    });

    test("end all together, or all but one", async () => {
      const accounts = await opened();
      for (const name of ["a", "b", "c"]) await accounts.addSession(sessionOf("shop", name), 1);
      await accounts.addSession(sessionOf("operator", "other"), 1);
      expect(await accounts.endSessions("shop", "ses_b")).toBe(2);
      expect(await idsOf(accounts)).toEqual(["ses_b"]);
      expect(await accounts.endSessions("shop", undefined)).toBe(1);
      expect(await idsOf(accounts)).toEqual([]);
      expect(await idsOf(accounts, "operator")).toEqual(["ses_other"]);
    });
  });

  describe(`passwords on ${engine}`, () => {
    test("are changed once for a version: of many at once one wins, and only its session stays", async () => {
      const accounts = await opened();
      const names = Array.from({ length: 10 }, (_, index) => String(index));
      for (const name of names) await accounts.addSession(sessionOf("shop", name), 1);
      const outcomes = await Promise.all(
        names.map((name) =>
          accounts.changePassword({
            account: "shop",
            version: 1,
            password: password(`by ${name}`),
            keep: `ses_${name}`,
          }),
        ),
      );
      expect(outcomes.filter((changed) => changed)).toHaveLength(1);
      const winner = outcomes.indexOf(true);
      expect(await idsOf(accounts)).toEqual([`ses_${winner}`]);
      expect(await accounts.find("shop")).toMatchObject({
        password: `by ${winner}`,
        passwordVersion: 2,
      });
      expect(await accounts.find("operator")).toMatchObject({ password: "first" });
    });

    test("are hashed anew without ending anything, unless they were changed", async () => {
      const accounts = await opened();
      await accounts.addSession(sessionOf("shop", "a"), 1);
      await accounts.rehashPassword({ account: "shop", was: "first", hash: "first, stronger" });
      const rehashed = { password: "first, stronger", passwordVersion: 1 };
      expect(await accounts.find("shop")).toMatchObject(rehashed);
      expect(await idsOf(accounts)).toEqual(["ses_a"]);
      await accounts.rehashPassword({ account: "shop", was: "first", hash: "first again" });
      expect(await accounts.find("shop")).toMatchObject(rehashed);
    });
  });

  describe(`tries on ${engine}`, () => {
    const at = (laterMs: number) => attempt({ atMs: nowMs + laterMs });

    test("are as many as the bucket holds, and then one for each interval", async () => {
      const accounts = await open();
      for (let count = 0; count < 3; count++) expect(await accounts.take(attempt())).toBe(0);
      expect(await accounts.take(attempt())).toBe(1_000);
      expect(await accounts.take(at(999))).toBe(1);
      expect(await accounts.take(at(1_000))).toBe(0);
      expect(await accounts.take(at(1_000))).toBe(1_000);
      expect(await accounts.take(at(3_000))).toBe(0);
      expect(await accounts.take(at(3_000))).toBe(0);
      expect(await accounts.take(at(3_000))).toBe(1_000);
    });

    test("grow back to what the bucket holds and no further", async () => {
      const accounts = await open();
      await accounts.take(attempt());
      for (let count = 0; count < 3; count++) expect(await accounts.take(at(1e9))).toBe(0);
      expect(await accounts.take(at(1e9))).toBe(1_000);
    });

    test("that are given back can be taken again", async () => {
      const accounts = await open();
      for (let count = 0; count < 3; count++) await accounts.take(attempt());
      await accounts.giveBack(attempt());
      expect(await accounts.take(attempt())).toBe(0);
      expect(await accounts.take(attempt())).toBe(1_000);
      // More than were taken make no larger bucket.
      for (let count = 0; count < 9; count++) await accounts.giveBack(attempt());
      for (let count = 0; count < 3; count++) expect(await accounts.take(attempt())).toBe(0);
      expect(await accounts.take(attempt())).toBe(1_000);
    });

    test("of other buckets do not count", async () => {
      const accounts = await open();
      for (let count = 0; count < 3; count++) await accounts.take(attempt());
      expect(await accounts.take(attempt({ bucket: "00fe" }))).toBe(0);
    });

    test("count together through two handles at once", async () => {
      const handles = [await open(), (await openStores()).accounts];
      const waits = await Promise.all(
        Array.from({ length: 20 }, (_, index) => handles[index % 2]?.take(attempt())),
      );
      expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(3);
    });

    test("counted by a clock that was ahead lock nobody out for longer than an empty bucket", async () => {
      const accounts = await open();
      for (let count = 0; count < 3; count++) await accounts.take(at(1e9));
      expect(await accounts.take(attempt())).toBe(1_000);
    });
  });
}
