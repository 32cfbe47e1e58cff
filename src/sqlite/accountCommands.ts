/** The writes to accounts and sessions. They run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
import type { OneTimeLink, Session } from "../accounts/account.ts";
import {
  type LinkUse,
  type NewPassword,
  type PasswordChange,
  type Rehash,
  sessionsPerAccountMax,
  type Try,
} from "../accounts/accounts.ts";

export interface SessionStart {
  readonly session: Session;
  readonly passwordVersion: number;
}

export interface SessionSighting {
  readonly hash: string;
  readonly atMs: number;
}

export interface SessionEnd {
  readonly account: string;
  readonly id: string;
}

export interface SessionsEnd {
  readonly account: string;
  readonly keep: string | undefined;
}

export function accountCommands(db: DatabaseSync) {
  const sql = prepare(db);

  function store(session: Session): void {
    const { id, account, hash, agent, createdAtMs, seenAtMs, endsAtMs } = session;
    sql.sweepSessions.run(createdAtMs);
    sql.insertSession.run(id, account, hash, agent, createdAtMs, seenAtMs, endsAtMs);
    sql.endBeyond.run(account, account, id, sessionsPerAccountMax);
  }

  function setPassword(account: string, { hash, setAtMs }: NewPassword): void {
    sql.setPassword.run(hash, setAtMs, account);
  }

  return {
    issueLink({ account, holder, hash, createdAtMs, expiresAtMs }: OneTimeLink): boolean {
      const ownerId = holder.kind === "owner" ? holder.id : null;
      if (ownerId !== null && sql.findOwner.get(ownerId) === undefined) return false;
      sql.insertAccount.run(account, holder.kind, ownerId);
      sql.replaceLink.run(account, hash, createdAtMs, expiresAtMs);
      return true;
    },

    useLink({ hash, atMs, session, password }: LinkUse): boolean {
      if (sql.takeLink.run(hash, session.account, atMs).changes === 0) return false;
      if (password !== undefined) {
        setPassword(session.account, password);
        sql.endOthers.run(session.account, null);
      }
      store(session);
      return true;
    },

    addSession({ session, passwordVersion }: SessionStart): boolean {
      if (sql.findVersion.get(session.account, passwordVersion) === undefined) return false;
      store(session);
      return true;
    },

    sawSession({ hash, atMs }: SessionSighting): void {
      sql.saw.run(atMs, hash);
    },

    endSession({ account, id }: SessionEnd): boolean {
      return sql.endOne.run(account, id).changes !== 0;
    },

    endSessions({ account, keep }: SessionsEnd): number {
      return Number(sql.endOthers.run(account, keep ?? null).changes);
    },

    changePassword({ account, version, password, keep }: PasswordChange): boolean {
      if (sql.findVersion.get(account, version) === undefined) return false;
      setPassword(account, password);
      sql.endOthers.run(account, keep);
      return true;
    },

    rehashPassword({ account, was, hash }: Rehash): void {
      sql.rehash.run(hash, account, was);
    },

    takeTry({ bucket, atMs, burst, intervalMs }: Try): number {
      const wholeMs = burst * intervalMs;
      const row = sql.findTries.get(bucket) as { full_at_ms: number } | undefined;
      // Never more than an empty bucket: a clock that was ahead must not lock anybody out.
      const fullAtMs = Math.min(Math.max(row?.full_at_ms ?? atMs, atMs), atMs + wholeMs);
      const waitMs = fullAtMs + intervalMs - (atMs + wholeMs);
      if (waitMs > 0) return waitMs;
      sql.keepTries.run(bucket, fullAtMs + intervalMs);
      return 0;
    },

    giveBackTry({ bucket, intervalMs }: Try): void {
      sql.giveBack.run(intervalMs, bucket);
    },
  };
}

function prepare(db: DatabaseSync) {
  return {
    findOwner: db.prepare("SELECT 1 FROM owners WHERE id = ?"),
    findVersion: db.prepare("SELECT 1 FROM accounts WHERE name = ? AND password_version = ?"),
    insertAccount: db.prepare(
      "INSERT INTO accounts (name, kind, owner_id) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
    ),
    replaceLink: db.prepare(
      `INSERT INTO one_time_links (account, hash, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (account) DO UPDATE SET hash = excluded.hash,
         created_at_ms = excluded.created_at_ms, expires_at_ms = excluded.expires_at_ms`,
    ),
    takeLink: db.prepare(
      "DELETE FROM one_time_links WHERE hash = ? AND account = ? AND expires_at_ms > ?",
    ),
    setPassword: db.prepare(
      `UPDATE accounts SET password = ?, password_set_at_ms = ?,
         password_version = password_version + 1 WHERE name = ?`,
    ),
    rehash: db.prepare("UPDATE accounts SET password = ? WHERE name = ? AND password = ?"),
    insertSession: db.prepare(
      `INSERT INTO sessions (id, account, hash, agent, created_at_ms, seen_at_ms, ends_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    sweepSessions: db.prepare("DELETE FROM sessions WHERE ends_at_ms <= ?"),
    // The one that begins stays, whatever the clock says.
    endBeyond: db.prepare(
      `DELETE FROM sessions WHERE account = ? AND ordinal NOT IN (
         SELECT ordinal FROM sessions WHERE account = ?
         ORDER BY id = ? DESC, seen_at_ms DESC, ordinal DESC LIMIT ?)`,
    ),
    saw: db.prepare("UPDATE sessions SET seen_at_ms = max(seen_at_ms, ?) WHERE hash = ?"),
    endOne: db.prepare("DELETE FROM sessions WHERE account = ? AND id = ?"),
    endOthers: db.prepare("DELETE FROM sessions WHERE account = ? AND id IS NOT ?"),
    findTries: db.prepare("SELECT full_at_ms FROM sign_in_tries WHERE bucket = ?"),
    keepTries: db.prepare(
      `INSERT INTO sign_in_tries (bucket, full_at_ms) VALUES (?, ?)
       ON CONFLICT (bucket) DO UPDATE SET full_at_ms = excluded.full_at_ms`,
    ),
    giveBack: db.prepare("UPDATE sign_in_tries SET full_at_ms = full_at_ms - ? WHERE bucket = ?"),
  };
}
