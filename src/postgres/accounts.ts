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
import { AccountWrites } from "./accountWrites.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { hasNul } from "./texts.ts";

type HolderRow = [kind: AccessHolder["kind"], ownerId: string | null];
type AccountRow = [...HolderRow, name: string, password: string | null, version: bigint];
type LinkRow = [...HolderRow, account: string, hash: string, createdMs: bigint, expiresMs: bigint];
type SessionRow = [
  id: string,
  account: string,
  hash: string,
  agent: string,
  createdAtMs: bigint,
  seenAtMs: bigint,
  endsAtMs: bigint,
];

/** Asks the database each time: what has ended is over at once, for every process. */
export class PostgresAccounts implements AccountStore {
  readonly #database: Database;
  readonly #writes: AccountWrites;

  constructor(database: Database) {
    this.#database = database;
    this.#writes = new AccountWrites(database);
  }

  async find(name: string): Promise<Account | undefined> {
    if (hasNul(name)) return undefined;
    const [row] = await this.#read<AccountRow>(findAccount, [name]);
    return row && accountFrom(row);
  }

  async issueLink(link: OneTimeLink): Promise<boolean> {
    if (hasNul(link.account)) return false;
    return failing(this.#writes.issueLink(link));
  }

  async findLink(hash: string): Promise<OneTimeLink | undefined> {
    const [row] = await this.#read<LinkRow>(findLink, [hash]);
    return row && linkFrom(row);
  }

  useLink(use: LinkUse): Promise<boolean> {
    return failing(this.#writes.useLink(use));
  }

  addSession(session: Session, passwordVersion: number): Promise<boolean> {
    return failing(this.#writes.addSession(session, passwordVersion));
  }

  async findSession(hash: string): Promise<KnownSession | undefined> {
    const [row] = await this.#read<[...SessionRow, ...HolderRow]>(findSession, [hash]);
    if (row === undefined) return undefined;
    const [, , , , , , , kind, ownerId] = row;
    return { session: sessionFrom(row), holder: holderFrom(kind, ownerId) };
  }

  async listSessions(account: string): Promise<readonly Session[]> {
    return (await this.#read<SessionRow>(listSessions, [account])).map(sessionFrom);
  }

  sawSession(hash: string, atMs: number): Promise<void> {
    return failing(this.#writes.sawSession(hash, atMs));
  }

  async endSession(account: string, id: string): Promise<boolean> {
    if (hasNul(id)) return false;
    return failing(this.#writes.endSession(account, id));
  }

  endSessions(account: string, keep: string | undefined): Promise<number> {
    return failing(this.#writes.endSessions(account, keep));
  }

  changePassword(change: PasswordChange): Promise<boolean> {
    return failing(this.#writes.changePassword(change));
  }

  rehashPassword(rehash: Rehash): Promise<void> {
    return failing(this.#writes.rehashPassword(rehash));
  }

  take(attempt: Try): Promise<number> {
    return failing(this.#writes.take(attempt));
  }

  giveBack(attempt: Try): Promise<void> {
    return failing(this.#writes.giveBack(attempt));
  }

  #read<Row extends unknown[]>(query: string, values: readonly unknown[]): Promise<Row[]> {
    return failing(this.#database.read<Row>(query, values));
  }
}

function holderFrom(...[kind, ownerId]: HolderRow): AccessHolder {
  return kind === "operator" ? { kind } : { kind, id: ownerId as string };
}

function accountFrom([kind, ownerId, name, password, version]: AccountRow): Account {
  return {
    name,
    holder: holderFrom(kind, ownerId),
    password: password ?? undefined,
    passwordVersion: Number(version),
  };
}

function linkFrom([kind, ownerId, account, hash, createdMs, expiresMs]: LinkRow): OneTimeLink {
  return {
    account,
    holder: holderFrom(kind, ownerId),
    hash,
    createdAtMs: Number(createdMs),
    expiresAtMs: Number(expiresMs),
  };
}

function sessionFrom(row: readonly [...SessionRow, ...unknown[]]): Session {
  const [id, account, hash, agent, createdAtMs, seenAtMs, endsAtMs] = row;
  return {
    id,
    account,
    hash,
    agent,
    createdAtMs: Number(createdAtMs),
    seenAtMs: Number(seenAtMs),
    endsAtMs: Number(endsAtMs),
  };
}

const findAccount = `SELECT kind, owner_id, name, password, password_version FROM accounts
  WHERE name = $1`;
const findLink = `SELECT kind, owner_id, account, hash, created_at_ms, expires_at_ms
  FROM one_time_links JOIN accounts ON name = account WHERE hash = $1`;
const sessionColumns = "id, account, hash, agent, created_at_ms, seen_at_ms, ends_at_ms";
export const findSession = `SELECT ${sessionColumns}, kind, owner_id
  FROM sessions JOIN accounts ON name = account WHERE hash = $1`;
export const listSessions = `SELECT ${sessionColumns} FROM sessions WHERE account = $1
  ORDER BY seen_at_ms DESC, ordinal DESC`;
