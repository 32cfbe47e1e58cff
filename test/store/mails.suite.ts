/** Mails and what was told by them, whichever engine they are on. */
import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { type NewMail, type Settled, sameKindPerDayMax } from "../../src/notifications/mails.ts";
import type { MailMessage } from "../../src/notifications/mailText.ts";
import type { Notice, NoticeKind } from "../../src/notifications/notices.ts";
import { Notifier } from "../../src/notifications/notifier.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { addTo, dayMs, domainFor, hourMs, nowMs, projectIn } from "./domainSamples.ts";

const mailOf = (id: string, parts: Partial<NewMail> = {}): NewMail => ({
  id,
  recipient: "shop",
  address: "shop@example.com",
  content: { kind: "invitation", name: "shop", expiresAtMs: nowMs + dayMs },
  sealed: "sealed",
  ...parts,
});

const noticeOf = (subject: string, kind: NoticeKind = "renewal_failing"): Notice => ({
  kind,
  subject,
  recipient: "shop",
  item: { name: subject, detail: "It fails.", page: "#/" },
});

const sent = (id: string, tries: number, parts: Partial<Settled> = {}): Settled => ({
  ...{ id, tries, state: "sent", dueAtMs: undefined, error: undefined, atMs: nowMs },
  ...parts,
});

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeMails(engine: string, open: () => Promise<Stores>): void {
  describe(`mails on ${engine}`, () => {
    test("are listed, the newest first, and found by their ids", async () => {
      const { mails } = await open();
      await mails.add(mailOf("mail_1"), nowMs);
      await mails.add(mailOf("mail_2", { sealed: undefined }), nowMs + 1);
      expect((await mails.list({ limit: 10 })).map(({ id }) => id)).toEqual(["mail_2", "mail_1"]);
      expect(await mails.get("mail_1")).toEqual({
        ...mailOf("mail_1"),
        ...{ state: "pending", tries: 0, createdAtMs: nowMs, dueAtMs: nowMs },
        ...{ endedAtMs: undefined, error: undefined },
      });
      expect(await mails.get("mail_3")).toBeUndefined();
      expect(await mails.list({ state: "sent", limit: 10 })).toEqual([]);
      expect(await mails.count()).toEqual({ pending: 2, sent: 0, failed: 0 });
    });

    test("of one kind are not added without end to one account", async () => {
      const { mails } = await open();
      const add = (id: string, atMs: number, parts: Partial<NewMail> = {}) =>
        mails.add(mailOf(id, parts), atMs);
      for (let count = 0; count < sameKindPerDayMax; count++) {
        expect(await add(`mail_${count}`, nowMs)).toBe(true);
      }
      expect(await add("mail_more", nowMs + dayMs - 1)).toBe(false);
      expect(await add("mail_other", nowMs, { recipient: "acme" })).toBe(true);
      const content = { kind: "email_changed", name: "shop", atMs: nowMs } as const;
      expect(await add("mail_kind", nowMs, { content })).toBe(true);
      expect(await add("mail_later", nowMs + dayMs)).toBe(true);
      expect(await mails.get("mail_more")).toBeUndefined();
    });

    test("are taken by one, and due again later unless they are settled", async () => {
      const [one, two] = [await open(), await open()];
      await one.mails.add(mailOf("mail_1"), nowMs);
      const take = ({ mails }: Stores, atMs: number) => mails.takeDue(atMs, atMs + hourMs);
      const taken = await Promise.all([take(one, nowMs), take(two, nowMs), take(one, nowMs)]);
      const [mail, ...others] = taken.filter((each) => each !== undefined);
      expect([mail?.tries, others]).toEqual([1, []]);
      expect(await take(two, nowMs + hourMs - 1)).toBeUndefined();
      expect((await take(two, nowMs + hourMs))?.tries).toBe(2);
      // Whoever took it first is too late.
      expect(await one.mails.settle(sent("mail_1", 1))).toBe(false);
      expect(await two.mails.settle(sent("mail_1", 2))).toBe(true);
      const ended = { state: "sent", sealed: undefined, endedAtMs: nowMs } as const;
      expect(await one.mails.get("mail_1")).toMatchObject(ended);
      expect(await two.mails.settle(sent("mail_1", 2, { state: "failed" }))).toBe(false);
      expect(await take(one, nowMs + dayMs)).toBeUndefined();
    });

    test("are due at once after the clock was set back by days", async () => {
      const { mails } = await open();
      await mails.add(mailOf("mail_1"), nowMs);
      expect(await mails.takeDue(nowMs - 3 * dayMs, nowMs)).toMatchObject({ id: "mail_1" });
    });

    test("that failed are retried, one to another address, or all", async () => {
      const { mails } = await open();
      for (const id of ["mail_1", "mail_2", "mail_3"]) {
        await mails.add(mailOf(id), nowMs);
        const tries = (await mails.takeDue(nowMs, nowMs + hourMs))?.tries ?? 0;
        const state = id === "mail_3" ? "sent" : "failed";
        await mails.settle(sent(id, tries, { state, error: "550 No" }));
      }
      expect(await mails.count()).toEqual({ pending: 0, sent: 1, failed: 2 });
      const atMs = nowMs + hourMs;
      expect(await mails.retry({ id: "mail_1", address: "b@example.com", nowMs: atMs })).toBe(1);
      expect(await mails.get("mail_1")).toMatchObject({
        ...{ state: "pending", address: "b@example.com", tries: 0, dueAtMs: atMs },
        ...{ sealed: "sealed", error: "550 No" },
      });
      expect(await mails.retry({ id: "mail_3", nowMs: atMs })).toBe(0);
      expect(await mails.retry({ id: "mail_9", nowMs: atMs })).toBe(0);
      expect(await mails.retry({ nowMs: atMs })).toBe(2);
      expect((await mails.get("mail_2"))?.address).toBe("shop@example.com");
    });

    test("that have ended are removed after a month, and those that wait are not", async () => {
      const { mails } = await open();
      await mails.add(mailOf("mail_1"), nowMs);
      await mails.takeDue(nowMs, nowMs + hourMs);
      await mails.settle(sent("mail_1", 1));
      await mails.add(mailOf("mail_2"), nowMs);
      expect(await mails.prune(nowMs + 29 * dayMs)).toBe(false);
      expect(await mails.get("mail_1")).toBeDefined();
      await mails.prune(nowMs + 31 * dayMs);
      expect((await mails.list({ limit: 9 })).map(({ id }) => id)).toEqual(["mail_2"]);
    });
  });

  describe(`notices on ${engine}`, () => {
    const { content: _, ...newMail } = mailOf("mail_1", { sealed: undefined });

    test("are told once, in one mail, by whoever is first", async () => {
      const [one, two] = [await open(), await open()];
      const notices = [noticeOf("domains/1"), noticeOf("domains/2")];
      const told = await Promise.all(
        [one, two, one, two].map(({ mails }, index) =>
          mails.tell({ ...newMail, id: `mail_${index}` }, notices, nowMs),
        ),
      );
      expect(told.toSorted()).toEqual([0, 0, 0, 2]);
      const [mail, ...others] = await one.mails.list({ limit: 10 });
      expect(others).toEqual([]);
      expect(mail?.content).toEqual({
        ...{ kind: "renewal_failing", items: notices.map(({ item }) => item), total: 2 },
      });
      const more = [...notices, noticeOf("domains/3")];
      expect(await two.mails.tell({ ...newMail, id: "mail_5" }, more, nowMs)).toBe(1);
      expect(await two.mails.listTold()).toHaveLength(3);
    });

    test("are told again once they were over, a day later at the earliest", async () => {
      const { mails } = await open();
      const notice = noticeOf("domains/1");
      const tell = (atMs: number) => mails.tell({ ...newMail, id: `mail_${atMs}` }, [notice], atMs);
      expect(await tell(nowMs)).toBe(1);
      expect(await tell(nowMs + 3 * dayMs)).toBe(0);
      await mails.endNotices([notice]);
      expect(await tell(nowMs + dayMs - 1)).toBe(0);
      expect(await tell(nowMs + dayMs)).toBe(1);
      expect(await mails.listTold()).toEqual([
        {
          ...{ kind: notice.kind, subject: notice.subject, recipient: notice.recipient },
          ...{ toldAtMs: nowMs + dayMs, open: true },
        },
      ]);
      await mails.prune(nowMs + 9 * dayMs);
      expect(await mails.listTold()).toHaveLength(1);
      await mails.endNotices([notice]);
      await mails.prune(nowMs + 9 * dayMs);
      expect(await mails.listTold()).toEqual([]);
    });

    test("are looked for by one process in a minute, also after the clock was set back", async () => {
      const [one, two] = [await open(), await open()];
      const claim = ({ mails }: Stores, atMs: number) => mails.claimScan(atMs, 60_000);
      const claims = await Promise.all([claim(one, nowMs), claim(two, nowMs), claim(one, nowMs)]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await claim(two, nowMs + 59_999)).toBe(false);
      expect(await claim(two, nowMs + 60_000)).toBe(true);
      expect(await claim(one, nowMs - dayMs)).toBe(true);
    });

    test("of two processes that look at once, each owner gets one mail", async () => {
      const handles = [await open(), await open()] as const;
      const [stores] = handles;
      await projectIn(stores, "shop");
      const holder = { kind: "owner", id: "shop" } as const;
      await stores.accounts.setEmail({ account: "shop", holder, email: "shop@example.com" });
      await addTo(
        stores,
        domainFor("docs.example.com", "shop", { ownership: { kind: "proof_needed" } }),
      );
      const sentMails: MailMessage[] = [];
      const clock = { ...systemClock, now: () => nowMs + 3 * dayMs };
      const notifiers = handles.map(
        (each) =>
          new Notifier({
            // Both believe that it is their turn.
            stores: { ...each, mails: { ...each.mails, claimScan: async () => true } },
            clock,
            log: {
              info() {},
              warn() {},
              error: (event, fields) => {
                throw fields["cause"] ?? event;
              },
            },
            vault: new Vault("the secret of this service", systemClock),
            context: { service: "Pet Store", dashboard: "http://localhost/dashboard/" },
            operatorEmail: undefined,
            send: async (message) => {
              sentMails.push(message);
              return { kind: "sent" };
            },
          }),
      );
      await Promise.all(notifiers.map((notifier) => notifier.tick()));
      await Promise.all(notifiers.map((notifier) => notifier.tick()));
      expect(sentMails.map(({ to }) => to)).toEqual(["shop@example.com"]);
      expect(sentMails[0]?.subject).toContain("docs.example.com");
    });
  });
}
