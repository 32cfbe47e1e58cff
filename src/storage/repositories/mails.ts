import { then } from "../../core/maybePromise.ts";
import {
  contentOf,
  type Mail,
  type MailQuery,
  type MailState,
  type MailStore,
  type NewMail,
  retryMsMax,
  type Settled,
  sameKindPerDayMax,
} from "../../notifications/mails.ts";
import {
  dueNotices,
  type Notice,
  type NoticeKey,
  noticeId,
  type ToldNotice,
} from "../../notifications/notices.ts";
import type { Storage, Writes } from "./storage.ts";

/** Mails to be sent, and what was told by them. */
export const mailTables = [
  `CREATE TABLE mails (
     id text PRIMARY KEY,
     recipient text NOT NULL,
     address text NOT NULL,
     content text NOT NULL,
     sealed text,
     state text NOT NULL CHECK (state IN ('pending', 'sent', 'failed')),
     tries int8 NOT NULL,
     created_at_ms int8 NOT NULL,
     due_at_ms int8 NOT NULL,
     ended_at_ms int8 CHECK ((ended_at_ms IS NULL) = (state = 'pending')),
     error text
   )`,
  "CREATE INDEX mails_due ON mails (due_at_ms) WHERE state = 'pending'",
  "CREATE INDEX mails_by_age ON mails (created_at_ms)",
  // One row for each notice, which two processes therefore cannot both tell for the first time.
  `CREATE TABLE notices (
     recipient text NOT NULL,
     subject text NOT NULL,
     kind text NOT NULL,
     told_at_ms int8 NOT NULL,
     open boolean NOT NULL,
     PRIMARY KEY (recipient, subject, kind)
   ) WITHOUT ROWID`,
  // When everything was last looked at, by any process. It has one row.
  `CREATE TABLE notice_scans (
     id int8 PRIMARY KEY CHECK (id = 1),
     at_ms int8 NOT NULL
   )`,
];

type MailRow = Omit<Mail, "content" | "dueAtMs"> & {
  readonly content: string;
  readonly dueAtMs: number;
};
type NoticeRow = Omit<ToldNotice, "open"> & { readonly open: number };
type Retry = Parameters<MailStore["retry"]>[0];

export function mailRepository(storage: Storage): MailStore {
  return {
    listTold: () => then(storage.all<NoticeRow>(listNotices), (rows) => rows.map(noticeOf)),
    tell: (mail, notices, nowMs) => storage.write("tellNotices", { mail, notices, nowMs }),
    endNotices: (notices) => storage.write("endNotices", notices.map(keyOf)),
    async claimScan(nowMs, everyMs) {
      // Most processes find that another one has just done it, and need no write to know.
      const last = await storage.get<{ atMs: number }>(findScan);
      const isDue = isScanDue(last?.atMs, nowMs, everyMs);
      return isDue && storage.write("claimNoticeScan", { nowMs, everyMs });
    },
    add: (mail, nowMs) => storage.write("addMail", { mail, nowMs }),
    get: (id) => then(storage.get<MailRow>(findMail, [id]), (row) => row && mailOf(row)),
    list: ({ state, limit }: MailQuery) =>
      then(storage.all<MailRow>(listMails, [state, limit]), (rows) => rows.map(mailOf)),
    count: () =>
      then(storage.all<{ state: MailState; count: number }>(countMails), (rows) => ({
        ...{ pending: 0, sent: 0, failed: 0 },
        ...Object.fromEntries(rows.map(({ state, count }) => [state, count])),
      })),
    async takeDue(nowMs, untilMs) {
      // Nearly always there is none.
      if ((await storage.get(findDue, [nowMs, nowMs + retryMsMax])) === undefined) return undefined;
      return storage.write("takeDueMail", { nowMs, untilMs });
    },
    settle: (settled) => storage.write("settleMail", settled),
    retry: (which) => storage.write("retryMails", which),
    prune: (nowMs) => storage.write("pruneMails", nowMs),
  };
}

const dayMs = 24 * 60 * 60_000;
const endedKeptMs = 30 * dayMs;
/** A notice that is over matters for a day. One that lasts longer than a year is told once more. */
const overKeptMs = 2 * dayMs;
const openKeptMs = 365 * dayMs;
/** Few, because other writes wait. */
const atOnceMax = 1_000;

interface Telling {
  readonly mail: Omit<NewMail, "content">;
  readonly notices: readonly Notice[];
  readonly nowMs: number;
}

export const mailWrites = {
  async tellNotices(tx, { mail, notices, nowMs }: Telling): Promise<number> {
    const { recipient } = mail;
    const subjects = notices.map(({ subject }) => subject);
    const told = (await tx.all<NoticeRow>(lockNotices, [recipient, subjects])).map(noticeOf);
    const { due } = dueNotices(notices, told, nowMs);
    const [first] = due;
    if (first === undefined) return 0;
    const known = new Set(told.map(noticeId));
    const isNew = (notice: Notice) => !known.has(noticeId(notice));
    // Not an upsert: of two processes, the second is rejected and then finds the row.
    const rows = due
      .filter(isNew)
      .map(({ subject, kind }) => [recipient, subject, kind, nowMs, true]);
    await tx.insertAll(insertNotice, rows);
    const again = due.filter((notice) => !isNew(notice)).map(({ subject }) => subject);
    if (again.length > 0) await tx.run(openNotices, [recipient, first.kind, again, nowMs]);
    await tx.run(insertMail, newRow({ ...mail, content: contentOf(first.kind, due) }, nowMs));
    return due.length;
  },

  async endNotices(tx, notices: readonly NoticeKey[]): Promise<void> {
    for (const { recipient, subject, kind } of notices) {
      await tx.run(closeNotice, [recipient, subject, kind]);
    }
  },

  async claimNoticeScan(
    tx,
    { nowMs, everyMs }: { nowMs: number; everyMs: number },
  ): Promise<boolean> {
    const last = await tx.get<{ atMs: number }>(`${findScan} FOR UPDATE`);
    if (!isScanDue(last?.atMs, nowMs, everyMs)) return false;
    const text =
      last === undefined
        ? "INSERT INTO notice_scans (id, at_ms) VALUES (1, ?1)"
        : "UPDATE notice_scans SET at_ms = ?1 WHERE id = 1";
    await tx.run(text, [nowMs]);
    return true;
  },

  async addMail(tx, { mail, nowMs }: { mail: NewMail; nowMs: number }): Promise<boolean> {
    const recent = await tx.all<MailRow>(findRecent, [mail.recipient, nowMs - dayMs]);
    const same = recent.filter((row) => mailOf(row).content.kind === mail.content.kind);
    if (same.length >= sameKindPerDayMax) return false;
    await tx.run(insertMail, newRow(mail, nowMs));
    return true;
  },

  async takeDueMail(
    tx,
    { nowMs, untilMs }: { nowMs: number; untilMs: number },
  ): Promise<Mail | undefined> {
    const values = [nowMs, nowMs + retryMsMax];
    const found = await tx.get<MailRow>(`${findDue} FOR UPDATE SKIP LOCKED`, values);
    if (found === undefined) return undefined;
    await tx.run(beginAttempt, [found.id, untilMs]);
    return mailOf({ ...found, tries: found.tries + 1, dueAtMs: untilMs });
  },

  async settleMail(tx, settled: Settled): Promise<boolean> {
    const { id, tries, state, dueAtMs, error, atMs } = settled;
    const endedAtMs = state === "pending" ? undefined : atMs;
    return (await tx.run(settle, [id, tries, state, dueAtMs ?? atMs, endedAtMs, error])) > 0;
  },

  async retryMails(tx, { id, address, nowMs }: Retry): Promise<number> {
    return tx.run(retry, [id, address, nowMs]);
  },

  async pruneMails(tx, nowMs: number): Promise<boolean> {
    const ended = await tx.all<{ id: string }>(findEnded, [nowMs - endedKeptMs, atOnceMax]);
    if (ended.length > 0) {
      await tx.run("DELETE FROM mails WHERE id = ANY(?1)", [ended.map(({ id }) => id)]);
    }
    await tx.run(removeNotices, [nowMs - overKeptMs, nowMs - openKeptMs]);
    return ended.length === atOnceMax;
  },
} satisfies Writes;

/** One in the future was made before the clock was set back. */
const isScanDue = (lastMs: number | undefined, nowMs: number, everyMs: number) =>
  lastMs === undefined || Math.abs(nowMs - lastMs) >= everyMs;

const keyOf = ({ recipient, subject, kind }: NoticeKey) => ({ recipient, subject, kind });
const noticeOf = (row: NoticeRow): ToldNotice => ({ ...row, open: row.open === 1 });

const mailOf = (row: MailRow): Mail => ({
  ...row,
  content: JSON.parse(row.content),
  dueAtMs: row.state === "pending" ? row.dueAtMs : undefined,
});

const newRow = ({ id, recipient, address, content, sealed }: NewMail, nowMs: number) => [
  ...[id, recipient, address, JSON.stringify(content), sealed, nowMs],
];

const noticeColumns = `recipient, subject, kind, told_at_ms AS "toldAtMs", open`;
const listNotices = `SELECT ${noticeColumns} FROM notices`;
const lockNotices = `SELECT ${noticeColumns} FROM notices
  WHERE recipient = ?1 AND subject = ANY(?2) ORDER BY subject, kind FOR UPDATE`;
const insertNotice = `INSERT INTO notices (recipient, subject, kind, told_at_ms, open)
  VALUES (?1, ?2, ?3, ?4, ?5)`;
const openNotices = `UPDATE notices SET told_at_ms = ?4, open = true
  WHERE recipient = ?1 AND kind = ?2 AND subject = ANY(?3)`;
const closeNotice = `UPDATE notices SET open = false
  WHERE recipient = ?1 AND subject = ?2 AND kind = ?3`;
const removeNotices = `DELETE FROM notices
  WHERE (NOT open AND told_at_ms < ?1) OR told_at_ms < ?2`;
const findScan = `SELECT at_ms AS "atMs" FROM notice_scans WHERE id = 1`;

const columns = `id, recipient, address, content, sealed, state, tries,
  created_at_ms AS "createdAtMs", due_at_ms AS "dueAtMs", ended_at_ms AS "endedAtMs", error`;
const insertMail = `INSERT INTO mails (id, recipient, address, content, sealed, state, tries,
    created_at_ms, due_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, 'pending', 0, ?6, ?6)`;
const findMail = `SELECT ${columns} FROM mails WHERE id = ?1`;
const findRecent = `SELECT ${columns} FROM mails
  WHERE created_at_ms > ?2 AND recipient = ?1 ORDER BY created_at_ms DESC LIMIT 1000`;
const listMails = `SELECT ${columns} FROM mails WHERE state = coalesce(?1, state)
  ORDER BY created_at_ms DESC, id LIMIT ?2`;
const countMails = "SELECT state, count(*) AS count FROM mails GROUP BY state";
// What is due later than any delay leads to was planned before the clock was set back.
const findDue = `SELECT ${columns} FROM mails
  WHERE state = 'pending' AND (due_at_ms <= ?1 OR due_at_ms > ?2)
  ORDER BY due_at_ms LIMIT 1`;
const beginAttempt = "UPDATE mails SET due_at_ms = ?2, tries = tries + 1 WHERE id = ?1";
const settle = `UPDATE mails SET state = ?3, due_at_ms = ?4, ended_at_ms = ?5, error = ?6,
    sealed = CASE WHEN ?3 = 'sent' THEN NULL ELSE sealed END
  WHERE id = ?1 AND tries = ?2 AND state = 'pending'`;
const retry = `UPDATE mails SET state = 'pending', due_at_ms = ?3, ended_at_ms = NULL, tries = 0,
    created_at_ms = ?3, address = coalesce(?2, address)
  WHERE state <> 'sent' AND id = coalesce(?1, id)`;
const findEnded = `SELECT id FROM mails WHERE created_at_ms < ?1 AND state <> 'pending'
  ORDER BY created_at_ms LIMIT ?2`;
