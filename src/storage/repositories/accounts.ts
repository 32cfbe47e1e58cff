import type { AccessHolder, AccessStore, AccessToken } from "../../accounts/access.ts";
import {
  type Account,
  type AccountStore,
  type Begun,
  type Disabling,
  type EmailChange,
  type LinkUse,
  type NewPassword,
  type OneTimeLink,
  operatorName,
  type PasswordChange,
  type Rehash,
  type Session,
  type SignInAttempt,
  sessionsPerAccountMax,
} from "../../accounts/accounts.ts";
import { type PendingSignIn, pendingSignInMs } from "../../accounts/secondFactors.ts";
import { takeAttempt } from "../../accounts/signInThrottle.ts";
import { then } from "../../core/maybePromise.ts";
import type { Storage, Transaction, Writes } from "./storage.ts";

/** Where notifications go. */
export const accountEmailTables = [
  "ALTER TABLE accounts ADD COLUMN [postgres: IF NOT EXISTS ]email [sqlite: TEXT][postgres: text]",
];

/** Nothing else is signed in to a disabled account, or uses its access tokens. */
export const disabledAccountTables = [
  "ALTER TABLE accounts ADD COLUMN [postgres: IF NOT EXISTS ]disabled_at_ms [sqlite: INTEGER][postgres: int8]",
];

/** The holder of a token or an account, as columns. */
interface HolderColumns {
  readonly kind: AccessHolder["kind"];
  readonly ownerId: string | undefined;
}

interface FactorColumn {
  readonly hasSecondFactor: number;
}

type TokenRow = Omit<AccessToken, "holder"> & HolderColumns;
type AccountRow = Omit<Account, "holder" | "hasSecondFactor"> & HolderColumns & FactorColumn;
type LinkRow = Omit<OneTimeLink, "holder"> & HolderColumns;
type SessionRow = Session & HolderColumns & FactorColumn;

export function accessRepository(storage: Storage): AccessStore {
  return {
    add: (token) => storage.write("addAccessToken", token),
    revoke: (id, atMs) => storage.write("revokeAccessToken", { id, atMs }),
    findByHash: (hash) =>
      then(storage.get<TokenRow>(findAccessToken, [hash]), (row) => row && held(row)),
    list: () => then(storage.all<TokenRow>(listAccessTokens), (rows) => rows.map(held)),
  };
}

export const accessWrites = {
  async addAccessToken(tx, token: AccessToken): Promise<boolean> {
    const { id, name, holder, hash, hint, createdAtMs, revokedAtMs } = token;
    const { kind, ownerId } = holderColumns(holder);
    if (!(await isHolderKnown(tx, holder))) return false;
    const ordinal = await tx.ordinal();
    await tx.run(
      `INSERT INTO access_tokens (ordinal, id, name, kind, owner_id, hash, hint, created_at_ms,
         revoked_at_ms)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
      [ordinal, id, name, kind, ownerId, hash, hint, createdAtMs, revokedAtMs],
    );
    return true;
  },

  async revokeAccessToken(tx, { id, atMs }: { id: string; atMs: number }): Promise<boolean> {
    const revoked = await tx.get(
      `UPDATE access_tokens SET revoked_at_ms = coalesce(revoked_at_ms, ?2) WHERE id = ?1
       RETURNING id`,
      [id, atMs],
    );
    return revoked !== undefined;
  },
} satisfies Writes;

/** Nothing is cached: a session that is ended is invalid at once, in every process. */
export function accountRepository(storage: Storage): AccountStore {
  return {
    find: (name) =>
      then(storage.get<AccountRow>(findAccount, [name]), (row) => row && accountOf(row)),
    setEmail: (change) => storage.write("setEmail", change),
    listEmails: () =>
      then(
        storage.all<{ name: string; email: string }>(listEmails),
        (rows) => new Map(rows.map(({ name, email }) => [name, email])),
      ),
    list: () => then(storage.all<AccountRow>(listAccounts), (rows) => rows.map(accountOf)),
    setDisabled: (disabling) => storage.write("disableAccount", disabling),
    issueLink: (link) => storage.write("issueLink", link),
    findLink: (hash) => then(storage.get<LinkRow>(findLink, [hash]), (row) => row && held(row)),
    useLink: (use) => storage.write("useLink", use),
    addSession: (session, passwordVersion) =>
      storage.write("addSession", { session, passwordVersion }),
    findSession: (hash) =>
      then(storage.get<SessionRow>(findSession, [hash]), (row) => {
        if (row === undefined) return undefined;
        const { holder, hasSecondFactor, ...session } = held(row);
        return { session, holder, hasSecondFactor: hasSecondFactor === 1 };
      }),
    listSessions: (account) => storage.all<Session>(listSessions, [account]),
    sawSession: (hash, atMs) => storage.write("sawSession", { hash, atMs }),
    endSession: (account, id) => storage.write("endSession", { account, id }),
    endSessions: (account, keep) => storage.write("endSessions", { account, keep }),
    changePassword: (change) => storage.write("changePassword", change),
    rehashPassword: (rehash) => storage.write("rehashPassword", rehash),
    take: (attempt) => storage.write("takeAttempt", attempt),
    giveBack: (attempt) => storage.write("giveBackTry", attempt),
    signInFailed: (account) =>
      storage.write("recordAction", {
        action: "account.sign_in_failed",
        subject: `accounts/${account}`,
        onceInMs: failuresRecordedEveryMs,
      }),
  };
}

/** Whoever keeps guessing must not fill the audit log. The log has each attempt. */
const failuresRecordedEveryMs = 60_000;

async function isHolderKnown(tx: Transaction, holder: AccessHolder): Promise<boolean> {
  if (holder.kind === "operator") return true;
  return (await tx.get("SELECT 1 FROM owners WHERE id = ?1", [holder.id])) !== undefined;
}

function holderColumns(holder: AccessHolder): HolderColumns {
  return { kind: holder.kind, ownerId: holder.kind === "owner" ? holder.id : undefined };
}

function held<Columns extends HolderColumns>({ kind, ownerId, ...rest }: Columns) {
  const holder: AccessHolder = kind === "operator" ? { kind } : { kind, id: ownerId as string };
  return { ...rest, holder };
}

const accountOf = (row: AccountRow): Account => ({
  ...held(row),
  hasSecondFactor: row.hasSecondFactor === 1,
});

/** An expression: whether signing in to the account of that name takes a second step. */
const secondFactorOf = (name: string) =>
  `(EXISTS (SELECT 1 FROM totp_secrets WHERE totp_secrets.account = ${name})
   OR EXISTS (SELECT 1 FROM passkeys WHERE passkeys.account = ${name})) AS "hasSecondFactor"`;

const holder = `kind, owner_id AS "ownerId"`;
const token = `id, name, ${holder}, hash, hint, created_at_ms AS "createdAtMs",
  revoked_at_ms AS "revokedAtMs"`;
export const findAccessToken = `SELECT ${token} FROM access_tokens AS token WHERE hash = ?1
  AND NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.kind = token.kind
    AND accounts.name = coalesce(token.owner_id, '${operatorName}') AND disabled_at_ms IS NOT NULL)`;
const listAccessTokens = `SELECT ${token} FROM access_tokens ORDER BY ordinal`;
const account = `${holder}, name, password, password_version AS "passwordVersion", email,
  disabled_at_ms AS "disabledAtMs", ${secondFactorOf("accounts.name")}`;
const findAccount = `SELECT ${account} FROM accounts WHERE name = ?1`;
const listAccounts = `SELECT ${account} FROM accounts ORDER BY name COLLATE "C"`;
const listEmails = "SELECT name, email FROM accounts WHERE email IS NOT NULL";
const findLink = `SELECT ${holder}, account, hash, created_at_ms AS "createdAtMs",
    expires_at_ms AS "expiresAtMs"
  FROM one_time_links JOIN accounts ON name = account WHERE hash = ?1`;
const session = `id, account, hash, agent, created_at_ms AS "createdAtMs",
  seen_at_ms AS "seenAtMs", ends_at_ms AS "endsAtMs"`;
export const findSession = `SELECT ${session}, ${holder}, ${secondFactorOf("accounts.name")}
  FROM sessions JOIN accounts ON name = account WHERE hash = ?1 AND disabled_at_ms IS NULL`;
export const listSessions = `SELECT ${session} FROM sessions WHERE account = ?1
  ORDER BY seen_at_ms DESC, ordinal DESC`;

/** How many rows that have expired are removed when one is added: few, so that it need not wait long. */
const sweptAtOnceMax = 100;
export const findExpired = (table: string, key: string) =>
  `SELECT ${key} AS key FROM ${table} WHERE ends_at_ms <= ?1
   ORDER BY ends_at_ms LIMIT ${sweptAtOnceMax} FOR UPDATE SKIP LOCKED`;

/**
 * The writes to accounts, links and sessions. A write that depends on an account, or adds something
 * to it, locks its row first, so that such writes run one after the other.
 */
export const accountWrites = {
  async setEmail(tx, { account, holder, email }: EmailChange): Promise<boolean> {
    const { kind, ownerId } = holderColumns(holder);
    if (!(await isHolderKnown(tx, holder))) return false;
    await tx.run(insertAccount, [account, kind, ownerId]);
    await tx.run("UPDATE accounts SET email = ?2 WHERE name = ?1", [account, email]);
    return true;
  },

  async issueLink(tx, link: OneTimeLink): Promise<boolean> {
    const { account, holder, hash, createdAtMs, expiresAtMs } = link;
    const { kind, ownerId } = holderColumns(holder);
    if (!(await isHolderKnown(tx, holder))) return false;
    await tx.run(insertAccount, [account, kind, ownerId]);
    await lockAccount(tx, account);
    await tx.run(replaceLink, [account, hash, createdAtMs, expiresAtMs]);
    return true;
  },

  async useLink(tx, { hash, atMs, session, password }: LinkUse): Promise<Begun> {
    const { account } = session;
    if ((await lockAccount(tx, account)) === undefined) return undefined;
    if ((await tx.run(takeLink, [hash, account, atMs])) === 0) return undefined;
    if (password !== undefined) {
      await setPassword(tx, account, password);
      await endOthers(tx, account, undefined);
    }
    return begin(tx, session);
  },

  async addSession(
    tx,
    { session, passwordVersion }: { session: Session; passwordVersion: number },
  ): Promise<Begun> {
    if ((await lockAccount(tx, session.account)) !== passwordVersion) return undefined;
    return begin(tx, session);
  },

  async disableAccount(tx, { account, holder, atMs }: Disabling): Promise<boolean> {
    const { kind, ownerId } = holderColumns(holder);
    if (!(await isHolderKnown(tx, holder))) return false;
    await tx.run(insertAccount, [account, kind, ownerId]);
    await lockAccount(tx, account);
    if (atMs === undefined) {
      await tx.run("UPDATE accounts SET disabled_at_ms = NULL WHERE name = ?1", [account]);
      return true;
    }
    await tx.run(disable, [account, atMs]);
    await endOthers(tx, account, undefined);
    await tx.run("DELETE FROM one_time_links WHERE account = ?1", [account]);
    return true;
  },

  async sawSession(tx, { hash, atMs }: { hash: string; atMs: number }): Promise<void> {
    await tx.run(updateSeenAt, [hash, atMs]);
  },

  async endSession(tx, { account, id }: { account: string; id: string }): Promise<boolean> {
    const text = "DELETE FROM sessions WHERE account = ?1 AND id = ?2 RETURNING id";
    return (await tx.get(text, [account, id])) !== undefined;
  },

  async endSessions(
    tx,
    { account, keep }: { account: string; keep: string | undefined },
  ): Promise<number> {
    return endOthers(tx, account, keep);
  },

  async changePassword(tx, { account, version, password, keep }: PasswordChange): Promise<boolean> {
    if ((await lockAccount(tx, account)) !== version) return false;
    await setPassword(tx, account, password);
    await endOthers(tx, account, keep);
    return true;
  },

  async rehashPassword(tx, { account, was, hash }: Rehash): Promise<void> {
    await tx.run(replaceHash, [account, was, hash]);
  },

  async takeAttempt(tx, attempt: SignInAttempt): Promise<number> {
    await tx.run(addBucket, [attempt.bucket, attempt.atMs]);
    const row = await tx.get<{ fullAtMs: number }>(lockBucket, [attempt.bucket]);
    const taken = takeAttempt(row?.fullAtMs ?? attempt.atMs, attempt);
    if (taken.kind === "wait") return taken.waitMs;
    await tx.run(setBucket, [attempt.bucket, taken.fullAtMs]);
    return 0;
  },

  async giveBackTry(tx, { bucket, intervalMs }: SignInAttempt): Promise<void> {
    await tx.run(refillBucket, [bucket, intervalMs]);
  },
} satisfies Writes;

/** The version of its password; undefined where there is no such account, or it is disabled. */
export async function lockAccount(tx: Transaction, name: string): Promise<number | undefined> {
  const locked = await tx.get<{ version: number; disabledAtMs?: number }>(lock, [name]);
  return locked?.disabledAtMs === undefined ? locked?.version : undefined;
}

async function setPassword(
  tx: Transaction,
  account: string,
  { hash, setAtMs }: NewPassword,
): Promise<void> {
  await tx.run(
    `UPDATE accounts SET password = ?2, password_set_at_ms = ?3,
       password_version = password_version + 1
     WHERE name = ?1`,
    [account, hash, setAtMs],
  );
}

/** What comes after the password or the link: the session, or the second step. */
async function begin(tx: Transaction, session: Session): Promise<Begun> {
  const { account, hash, createdAtMs } = session;
  if (!(await hasSecondFactor(tx, account))) {
    await insertSession(tx, session);
    return "session";
  }
  const endsAtMs = createdAtMs + pendingSignInMs;
  await insertPending(tx, { hash, account, endsAtMs }, createdAtMs);
  return "pending";
}

export async function hasSecondFactor(tx: Transaction, account: string): Promise<boolean> {
  const row = await tx.get<FactorColumn>(`SELECT ${secondFactorOf("?1")}`, [account]);
  return row?.hasSecondFactor === 1;
}

export async function insertPending(
  tx: Transaction,
  { hash, account, endsAtMs }: PendingSignIn,
  atMs: number,
): Promise<void> {
  await sweep(tx, "pending_sign_ins", "hash", atMs);
  const text = "INSERT INTO pending_sign_ins (hash, account, ends_at_ms) VALUES (?1, ?2, ?3)";
  await tx.run(text, [hash, account, endsAtMs]);
}

/** Ends all sessions but the one to keep, and what would become one. Returns how many. */
export async function endOthers(
  tx: Transaction,
  account: string,
  keep: string | undefined,
): Promise<number> {
  await tx.run("DELETE FROM pending_sign_ins WHERE account = ?1", [account]);
  const text = "DELETE FROM sessions WHERE account = ?1 AND id IS DISTINCT FROM ?2";
  return tx.run(text, [account, keep]);
}

/** Removes a few rows that have expired. Those that another process is removing are skipped. */
export async function sweep(
  tx: Transaction,
  table: "sessions" | "pending_sign_ins" | "passkey_challenges",
  key: string,
  atMs: number,
): Promise<void> {
  const expired = await tx.all<{ key: string }>(findExpired(table, key), [atMs]);
  if (expired.length === 0) return;
  const keys = expired.map((row) => row.key);
  await tx.run(`DELETE FROM ${table} WHERE ${key} = ANY(?1)`, [keys]);
}

export async function insertSession(tx: Transaction, session: Session): Promise<void> {
  const { id, account, createdAtMs } = session;
  await sweep(tx, "sessions", "id", createdAtMs);
  const ordinal = await tx.ordinal({ table: "sessions", column: "account", value: account });
  const own = [session.hash, session.agent, createdAtMs, session.seenAtMs, session.endsAtMs];
  await tx.run(addSession, [ordinal, id, account, ...own]);
  await tx.run(endExcess, [account, id, sessionsPerAccountMax]);
}

const insertAccount = `INSERT INTO accounts (name, kind, owner_id) VALUES (?1, ?2, ?3)
  ON CONFLICT (name) DO NOTHING`;
const replaceLink = `INSERT INTO one_time_links (account, hash, created_at_ms, expires_at_ms)
  VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (account) DO UPDATE SET hash = excluded.hash,
    created_at_ms = excluded.created_at_ms, expires_at_ms = excluded.expires_at_ms`;
const lock = `SELECT password_version AS version, disabled_at_ms AS "disabledAtMs" FROM accounts
  WHERE name = ?1 FOR UPDATE`;
const disable = `UPDATE accounts SET disabled_at_ms = coalesce(disabled_at_ms, ?2)
  WHERE name = ?1`;
const takeLink = `DELETE FROM one_time_links
  WHERE hash = ?1 AND account = ?2 AND expires_at_ms > ?3`;

const addSession = `INSERT INTO sessions (ordinal, id, account, hash, agent, created_at_ms,
    seen_at_ms, ends_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`;
const updateSeenAt = "UPDATE sessions SET seen_at_ms = ?2 WHERE hash = ?1 AND seen_at_ms < ?2";
const replaceHash = "UPDATE accounts SET password = ?3 WHERE name = ?1 AND password = ?2";
// The new session is retained, even if the clock went back.
const endExcess = `DELETE FROM sessions WHERE account = ?1 AND ordinal NOT IN (
  SELECT ordinal FROM sessions WHERE account = ?1
  ORDER BY id = ?2 DESC, seen_at_ms DESC, ordinal DESC LIMIT ?3)`;

const addBucket = `INSERT INTO sign_in_tries (bucket, full_at_ms) VALUES (?1, ?2)
  ON CONFLICT (bucket) DO NOTHING`;
const setBucket = "UPDATE sign_in_tries SET full_at_ms = ?2 WHERE bucket = ?1";
const refillBucket = "UPDATE sign_in_tries SET full_at_ms = full_at_ms - ?2 WHERE bucket = ?1";
const lockBucket = `SELECT full_at_ms AS "fullAtMs" FROM sign_in_tries WHERE bucket = ?1
  FOR UPDATE`;
