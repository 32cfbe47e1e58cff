import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AccessHolder } from "../access/access.ts";
import type { Account, OneTimeLink, Session } from "../accounts/account.ts";
import type {
  AccountStore,
  KnownSession,
  LinkUse,
  PasswordChange,
  Rehash,
  Try,
} from "../accounts/accounts.ts";
import { reading } from "./failures.ts";
import type { Writer } from "./writer.ts";

interface HolderRow {
  readonly kind: AccessHolder["kind"];
  readonly owner_id: string | null;
}

interface AccountRow extends HolderRow {
  readonly name: string;
  readonly password: string | null;
  readonly password_version: number;
}

interface LinkRow extends HolderRow {
  readonly account: string;
  readonly hash: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
}

interface SessionRow {
  readonly id: string;
  readonly account: string;
  readonly hash: string;
  readonly agent: string;
  readonly created_at_ms: number;
  readonly seen_at_ms: number;
  readonly ends_at_ms: number;
}

export class SqliteAccounts implements AccountStore {
  readonly #writer: Writer;
  readonly #sql: Readonly<Record<"account" | "link" | "session" | "sessions", StatementSync>>;

  constructor(db: DatabaseSync, writer: Writer) {
    this.#writer = writer;
    this.#sql = {
      account: db.prepare("SELECT * FROM accounts WHERE name = ?"),
      link: db.prepare(
        `SELECT one_time_links.*, kind, owner_id
         FROM one_time_links JOIN accounts ON name = account WHERE hash = ?`,
      ),
      session: db.prepare(
        `SELECT sessions.*, kind, owner_id
         FROM sessions JOIN accounts ON name = account WHERE hash = ?`,
      ),
      sessions: db.prepare(
        "SELECT * FROM sessions WHERE account = ? ORDER BY seen_at_ms DESC, ordinal DESC",
      ),
    };
  }

  find(name: string): Account | undefined {
    const row = reading(() => this.#sql.account.get(name)) as AccountRow | undefined;
    return row && accountFrom(row);
  }

  issueLink(link: OneTimeLink): Promise<boolean> {
    return this.#writer.submit("issueLink", link);
  }

  findLink(hash: string): OneTimeLink | undefined {
    const row = reading(() => this.#sql.link.get(hash)) as LinkRow | undefined;
    return row && linkFrom(row);
  }

  useLink(use: LinkUse): Promise<boolean> {
    return this.#writer.submit("useLink", use);
  }

  addSession(session: Session, passwordVersion: number): Promise<boolean> {
    return this.#writer.submit("addSession", { session, passwordVersion });
  }

  findSession(hash: string): KnownSession | undefined {
    const row = reading(() => this.#sql.session.get(hash)) as (SessionRow & HolderRow) | undefined;
    return row && { session: sessionFrom(row), holder: holderFrom(row) };
  }

  listSessions(account: string): readonly Session[] {
    const rows = reading(() => this.#sql.sessions.all(account)) as unknown as SessionRow[];
    return rows.map(sessionFrom);
  }

  sawSession(hash: string, atMs: number): Promise<void> {
    return this.#writer.submit("sawSession", { hash, atMs });
  }

  endSession(account: string, id: string): Promise<boolean> {
    return this.#writer.submit("endSession", { account, id });
  }

  endSessions(account: string, keep: string | undefined): Promise<number> {
    return this.#writer.submit("endSessions", { account, keep });
  }

  changePassword(change: PasswordChange): Promise<boolean> {
    return this.#writer.submit("changePassword", change);
  }

  rehashPassword(rehash: Rehash): Promise<void> {
    return this.#writer.submit("rehashPassword", rehash);
  }

  take(attempt: Try): Promise<number> {
    return this.#writer.submit("takeTry", attempt);
  }

  giveBack(attempt: Try): Promise<void> {
    return this.#writer.submit("giveBackTry", attempt);
  }
}

function holderFrom({ kind, owner_id }: HolderRow): AccessHolder {
  return kind === "operator" ? { kind } : { kind, id: owner_id as string };
}

function accountFrom(row: AccountRow): Account {
  return {
    name: row.name,
    holder: holderFrom(row),
    password: row.password ?? undefined,
    passwordVersion: row.password_version,
  };
}

function linkFrom(row: LinkRow): OneTimeLink {
  return {
    account: row.account,
    holder: holderFrom(row),
    hash: row.hash,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

function sessionFrom(row: SessionRow): Session {
  return {
    id: row.id,
    account: row.account,
    hash: row.hash,
    agent: row.agent,
    createdAtMs: row.created_at_ms,
    seenAtMs: row.seen_at_ms,
    endsAtMs: row.ends_at_ms,
  };
}
