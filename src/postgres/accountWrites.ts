/**
 * The writes to accounts, links and sessions. Whoever decides by what an account is, or adds
 * something to it, takes its row first, so that they come one after the other.
 */
import type { OneTimeLink, Session } from "../accounts/account.ts";
import {
  type LinkUse,
  type NewPassword,
  type PasswordChange,
  type Rehash,
  sessionsPerAccountMax,
  type Try,
} from "../accounts/accounts.ts";
import type { Database } from "./database.ts";
import type { Session as Connection } from "./session.ts";

/** What of other accounts is swept away when a session begins, so that it need not wait long. */
const sweptAtOnceMax = 100;

export class AccountWrites {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  issueLink({ account, holder, hash, createdAtMs, expiresAtMs }: OneTimeLink): Promise<boolean> {
    const ownerId = holder.kind === "owner" ? holder.id : null;
    return this.#database.transact("BEGIN", async (connection) => {
      if (ownerId !== null && (await connection.query(findOwner, [ownerId])).count === 0) {
        return false;
      }
      await connection.query(insertAccount, [account, holder.kind, ownerId]);
      await lockAccount(connection, account);
      await connection.query(replaceLink, [account, hash, createdAtMs, expiresAtMs]);
      return true;
    });
  }

  useLink({ hash, atMs, session, password }: LinkUse): Promise<boolean> {
    const { account } = session;
    return this.#database.transact("BEGIN", async (connection) => {
      await lockAccount(connection, account);
      if ((await connection.query(takeLink, [hash, account, atMs])).count === 0) return false;
      if (password !== undefined) {
        await setPassword(connection, account, password);
        await connection.query(endOthers, [account, null]);
      }
      await store(connection, session);
      return true;
    });
  }

  addSession(session: Session, passwordVersion: number): Promise<boolean> {
    return this.#database.transact("BEGIN", async (connection) => {
      if ((await lockAccount(connection, session.account)) !== passwordVersion) return false;
      await store(connection, session);
      return true;
    });
  }

  async sawSession(hash: string, atMs: number): Promise<void> {
    await this.#database.write(saw, [hash, atMs]);
  }

  async endSession(account: string, id: string): Promise<boolean> {
    return (await this.#database.write(endOne, [account, id])).count > 0;
  }

  async endSessions(account: string, keep: string | undefined): Promise<number> {
    return (await this.#database.write(endOthers, [account, keep ?? null])).count;
  }

  changePassword({ account, version, password, keep }: PasswordChange): Promise<boolean> {
    return this.#database.transact("BEGIN", async (connection) => {
      if ((await lockAccount(connection, account)) !== version) return false;
      await setPassword(connection, account, password);
      await connection.query(endOthers, [account, keep]);
      return true;
    });
  }

  async rehashPassword({ account, was, hash }: Rehash): Promise<void> {
    await this.#database.write(rehash, [account, was, hash]);
  }

  take({ bucket, atMs, burst, intervalMs }: Try): Promise<number> {
    const wholeMs = burst * intervalMs;
    return this.#database.transact("BEGIN", async (connection) => {
      await connection.query(addBucket, [bucket, atMs]);
      const { rows } = await connection.query<[fullAtMs: bigint]>(lockBucket, [bucket]);
      // Never more than an empty bucket: a clock that was ahead must not lock anybody out.
      const fullAtMs = Math.min(Math.max(Number(rows[0]?.[0]), atMs), atMs + wholeMs);
      const waitMs = fullAtMs + intervalMs - (atMs + wholeMs);
      if (waitMs > 0) return waitMs;
      await connection.query(fillBucket, [bucket, fullAtMs + intervalMs]);
      return 0;
    });
  }

  async giveBack({ bucket, intervalMs }: Try): Promise<void> {
    await this.#database.write(giveBack, [bucket, intervalMs]);
  }
}

/** The version of its password; undefined where there is no such account. */
async function lockAccount(connection: Connection, name: string): Promise<number | undefined> {
  const { rows } = await connection.query<[version: bigint]>(lock, [name]);
  const [row] = rows;
  return row && Number(row[0]);
}

async function setPassword(
  connection: Connection,
  account: string,
  { hash, setAtMs }: NewPassword,
): Promise<void> {
  await connection.query(changePassword, [account, hash, setAtMs]);
}

async function store(connection: Connection, session: Session): Promise<void> {
  const { id, account, hash, agent, createdAtMs, seenAtMs, endsAtMs } = session;
  await connection.query(sweep, [createdAtMs]);
  await connection.query(insertSession, [
    ...[account, id, hash, agent, createdAtMs, seenAtMs, endsAtMs],
  ]);
  await connection.query(endBeyond, [account, id, sessionsPerAccountMax]);
}

const findOwner = "SELECT 1 FROM owners WHERE id = $1";
const insertAccount = `INSERT INTO accounts (name, kind, owner_id) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO NOTHING`;
const lock = "SELECT password_version FROM accounts WHERE name = $1 FOR UPDATE";

const replaceLink = `INSERT INTO one_time_links (account, hash, created_at_ms, expires_at_ms)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (account) DO UPDATE SET hash = excluded.hash,
    created_at_ms = excluded.created_at_ms, expires_at_ms = excluded.expires_at_ms`;
const takeLink = `DELETE FROM one_time_links
  WHERE hash = $1 AND account = $2 AND expires_at_ms > $3`;

const changePassword = `UPDATE accounts SET password = $2, password_set_at_ms = $3,
    password_version = password_version + 1
  WHERE name = $1`;
const rehash = "UPDATE accounts SET password = $3 WHERE name = $1 AND password = $2";

const insertSession = `INSERT INTO sessions (account, ordinal, id, hash, agent, created_at_ms,
    seen_at_ms, ends_at_ms)
  SELECT $1, coalesce(max(ordinal), 0) + 1, $2, $3, $4, $5::int8, $6::int8, $7::int8
  FROM sessions WHERE account = $1`;
// What another sign-in sweeps away at this moment is left to it.
export const sweep = `WITH over AS (
    SELECT id FROM sessions WHERE ends_at_ms <= $1
    ORDER BY ends_at_ms LIMIT ${sweptAtOnceMax} FOR UPDATE SKIP LOCKED)
  DELETE FROM sessions WHERE id = ANY(ARRAY(SELECT id FROM over))`;
// The one that begins stays, whatever the clock says.
const endBeyond = `DELETE FROM sessions WHERE account = $1 AND ordinal NOT IN (
  SELECT ordinal FROM sessions WHERE account = $1
  ORDER BY id = $2 DESC, seen_at_ms DESC, ordinal DESC LIMIT $3)`;
const saw = "UPDATE sessions SET seen_at_ms = greatest(seen_at_ms, $2::int8) WHERE hash = $1";
const endOne = "DELETE FROM sessions WHERE account = $1 AND id = $2";
const endOthers = "DELETE FROM sessions WHERE account = $1 AND id IS DISTINCT FROM $2::text";

const addBucket = `INSERT INTO sign_in_tries (bucket, full_at_ms) VALUES ($1, $2)
  ON CONFLICT (bucket) DO NOTHING`;
const lockBucket = "SELECT full_at_ms FROM sign_in_tries WHERE bucket = $1 FOR UPDATE";
const fillBucket = "UPDATE sign_in_tries SET full_at_ms = $2 WHERE bucket = $1";
const giveBack = "UPDATE sign_in_tries SET full_at_ms = full_at_ms - $2::int8 WHERE bucket = $1";
