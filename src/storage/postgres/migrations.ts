import { type Clock, pause } from "../../core/clock.ts";
import type { Environment } from "../../petstore/keys/token.ts";
import { accountEmailTables, disabledAccountTables } from "../repositories/accounts.ts";
import { auditTables, auditTriggers } from "../repositories/audit.ts";
import { recordedTables, traceTables } from "../repositories/events.ts";
import { mailTables } from "../repositories/mails.ts";
import { secondFactorTables } from "../repositories/secondFactors.ts";
import { tablesForPostgres } from "../repositories/tableNotation.ts";
import {
  accessTables,
  accountTables,
  domainListTables,
  domainTables,
  eventTables,
  keyTables,
  orderTables,
  petTables,
  searchTables,
  siteTables,
  uploadTables,
  webhookTables,
} from "../repositories/tables.ts";
import { requireKnownVersion } from "../stores.ts";
import type { Session } from "./connection.ts";
import type { Database } from "./database.ts";
import { errorFrom, isUnavailable, sqlStateOf } from "./failures.ts";
import { createPetWords } from "./petWords.ts";

/** Part of a step. */
type Statement = string | ((session: Session) => Promise<void>);

/** What processes on several machines share. */
const sharedByProcesses = [
  "INSERT INTO counters (name, value) VALUES ('probe', 0)",

  // The revision up to which each process has read. One that was not seen for a while caches
  // nothing.
  `CREATE TABLE watchers (
     id text NOT NULL,
     counter text NOT NULL,
     value int8 NOT NULL,
     seen_at_ms int8 NOT NULL,
     PRIMARY KEY (counter, id)
   )`,

  // Does not reference keys: a bucket outlives its key, and is removed by age.
  // `taken` is what the last statement took: a statement can return only what it has stored.
  `CREATE TABLE quota_buckets (
     key_id text PRIMARY KEY,
     tokens float8 NOT NULL,
     filled_at_ms int8 NOT NULL,
     taken int8 NOT NULL
   )`,
];

/**
 * The steps from each version to the next. Append only: a released step has already run on some
 * databases. The previous release keeps serving during a step and after it, so a step only adds,
 * and takes no lock that blocks readers. Writers wait only while an index is built on their table.
 */
const steps: readonly (readonly Statement[])[] = [
  [
    petTables,
    keyTables,
    orderTables,
    siteTables,
    domainTables,
    accessTables,
    accountTables,
    sharedByProcesses,
  ].flatMap(tablesForPostgres),
  tablesForPostgres(["INSERT INTO counters (name, value) VALUES ('pet_revision', 0)"]),
  // One row for each transaction that changed pets; `previous` shows where rows are missing.
  tablesForPostgres([
    `CREATE TABLE pet_changes (
       revision int8 PRIMARY KEY,
       previous int8 NOT NULL,
       pet_ids int8[] NOT NULL
     )`,
  ]),
  tablesForPostgres(uploadTables),
  // The indexes come last, since writes wait from the first of them to the end of the step.
  [createPetWords, ...tablesForPostgres(searchTables)],
  tablesForPostgres(eventTables),
  tablesForPostgres(domainListTables),
  tablesForPostgres(webhookTables),
  tablesForPostgres(accountEmailTables),
  [...tablesForPostgres(auditTables), createAuditTriggers],
  tablesForPostgres(disabledAccountTables),
  tablesForPostgres(recordedTables),
  tablesForPostgres(mailTables),
  tablesForPostgres(secondFactorTables),
  tablesForPostgres(traceTables),
];

export const latestVersion = steps.length;

/** CockroachDB has no triggers before 24.3, and none for TRUNCATE. */
async function createAuditTriggers(session: Session): Promise<void> {
  const { rows } = await session.query<[string]>("SELECT version()");
  if (rows[0]?.[0].startsWith("PostgreSQL ")) await session.script(auditTriggers);
}

/** Short, so that other transactions do not queue up behind a waiting migration. */
const lockMsMax = 2_000;
/** An index on a large table takes minutes. */
const statementMsMax = 24 * 60 * 60_000;
/** How long to retry, or to wait for another process that migrates. */
const retryMsMax = 5 * 60_000;
const retryEveryMs = 100;

const applicationName = "petstore";
/** Another process is migrating at the same time. */
const concurrentChanges: readonly string[] = ["23505", "42P07", "42710", "40001", "40P01"];

/** Undefined for an empty database. */
export async function versionOf(database: Database, shown: string): Promise<number | undefined> {
  return database.use(async (session) => {
    const { rows } = await session.query<[table: string]>(
      `SELECT table_name::text FROM information_schema.tables
       WHERE table_schema = current_schema() ORDER BY 1 LIMIT 1000`,
    );
    const tables = rows.map(([table]) => table);
    if (tables.length === 0) return undefined;
    const meta = tables.includes("meta") ? await metaOf(session) : undefined;
    if (meta?.get("application") !== applicationName) {
      throw new Error(
        `${shown} holds tables of another program. Name a database that is empty, or one that this program made.`,
      );
    }
    const version = Number(meta.get("version"));
    requireKnownVersion(shown, version, latestVersion);
    return version;
  });
}

async function metaOf(session: Session): Promise<ReadonlyMap<string, string>> {
  try {
    const { rows } = await session.query<[string, string]>("SELECT name, value FROM meta");
    return new Map(rows);
  } catch (cause) {
    // Another program's table of this name, without these columns.
    if (sqlStateOf(cause) === "42703") return new Map();
    throw cause;
  }
}

/** Migrates a database. Processes that start at the same time wait for the one that does it. */
export async function migrate(database: Database, shown: string): Promise<void> {
  const version = await versionOf(database, shown);
  if (version === undefined) await retryWhileLocked(database.clock, () => makeMeta(database));
  for (let known = version ?? 0; known < latestVersion; ) {
    known = await retryWhileLocked(database.clock, () => runStep(database));
  }
}

/** The first of several processes runs the step; the others find it done when they get the lock. */
async function runStep(database: Database): Promise<number> {
  return database.transact(beginMigration, async (session, [row]) => {
    const version = Number(row?.[0]);
    const step = steps[version];
    if (step === undefined) return version;
    const patient = { ...session, script: (text: string) => session.script(text, statementMsMax) };
    for (const statement of step) {
      if (typeof statement === "string") await patient.script(statement);
      else await statement(patient);
    }
    await session.query("UPDATE meta SET value = $1 WHERE name = 'version'", [String(version + 1)]);
    return version + 1;
  });
}

/** CockroachDB changes tables in a transaction only at this isolation level. */
const beginAlone = "BEGIN ISOLATION LEVEL SERIALIZABLE";

const beginMigration = `${beginAlone};
  SET LOCAL lock_timeout = ${lockMsMax};
  SET LOCAL statement_timeout = 0;
  SELECT value FROM meta WHERE name = 'version' FOR UPDATE`;

async function makeMeta(database: Database): Promise<void> {
  await database.transact(beginAlone, async (session) => {
    await session.script(
      `CREATE TABLE IF NOT EXISTS meta (name text PRIMARY KEY, value text NOT NULL);
       INSERT INTO meta (name, value) VALUES ('application', '${applicationName}'), ('version', '0')
       ON CONFLICT (name) DO NOTHING`,
    );
  });
}

/** Retries while another process or a busy table holds a lock. */
async function retryWhileLocked<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const deadlineMs = clock.elapsed() + retryMsMax;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      const state = sqlStateOf(cause) ?? "";
      const isTransient = state === "55P03" || concurrentChanges.includes(state);
      if (!isTransient || clock.elapsed() > deadlineMs) throw cause;
      await pause(clock, retryEveryMs);
    }
  }
}

/** A database belongs to the first environment that opens it, and to no other. */
export async function claimEnvironment(
  database: Database,
  environment: Environment,
): Promise<void> {
  // Read first, so that opening an existing database needs no write.
  if ((await environmentOf(database)) !== undefined) return;
  // Another process that opens the new database now may be first.
  await database.write(
    `INSERT INTO meta (name, value) VALUES ('environment', $1) ON CONFLICT (name) DO NOTHING`,
    [environment],
  );
}

/** Undefined until an environment has opened the database. */
export async function environmentOf(database: Database): Promise<string | undefined> {
  const text = "SELECT value FROM meta WHERE name = 'environment'";
  return (await database.read<[string]>(text))[0]?.[0];
}

/** Adds which database failed to open, without secrets. */
export function explainOpening(shown: string, cause: unknown): never {
  if (isUnavailable(cause)) {
    const problem = errorFrom(cause) as Error;
    const reason = problem.cause instanceof Error ? problem.cause.message : problem.message;
    throw new Error(
      `${shown} cannot be opened as a database. ${reason}. Check DATABASE_URL, and that the server runs and lets this program in.`,
    );
  }
  const state = sqlStateOf(cause);
  if (state === undefined) throw cause;
  throw new Error(
    `${shown} cannot be made ready: ${(cause as Error).message} (PostgreSQL ${state}). Check that its user may make tables.`,
  );
}
