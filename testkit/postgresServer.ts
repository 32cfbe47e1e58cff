/** A PostgreSQL server of its own, from the binaries that npm brought, on a free port of loopback. */
import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type pg from "pg";
import { dieWithParent, isRoot, nobodyId } from "./dieWithParent.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./freePorts.ts";
import { connectTo, postgresProgram, queryOnce, runAsNobody } from "./postgresPrograms.ts";

export interface PostgresServer {
  readonly port: number;
  /** A database, made if it is not there yet, as an address for the store. */
  database(name: string): Promise<string>;
  /** An empty schema of its own in the usual database: a database for the store, made in no time. */
  schema(): Promise<string>;
  /** Takes a schema back to what a migration leaves, in less time than another migration takes. */
  empty(address: string): Promise<void>;
  /** Statements behind the back of the store. */
  query(text: string, address?: string): Promise<unknown[]>;
  /** A copy of this server that follows it, and waits to be promoted. Restarts this one. */
  standby(): Promise<PostgresServer>;
  /** Makes a standby a primary. */
  promote(): Promise<void>;
  /** Ends every connection of the store that a condition on pg_stat_activity picks. */
  hangUp(condition?: string): Promise<number>;
  /** The last of what it has logged since it was started. */
  logged(): string;
  /** `immediate` is a crash: nothing is written down first. After `kill` nobody tidies up either. */
  stop(mode?: StopMode): Promise<void>;
  start(): Promise<void>;
  /** Stops it for good and removes its files. */
  remove(): Promise<void>;
}

const stopSignals = { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" } as const;
type StopMode = keyof typeof stopSignals;

export type Settings = Readonly<Record<string, string>>;

/** For what ends no server but by its process: the system keeps what was written, and nobody waits. */
export const withoutSync: Settings = { fsync: "off" };

export async function startPostgres(settings: Settings = {}): Promise<PostgresServer> {
  const folder = makeFolder();
  const data = join(folder, "data");
  const port = await freePort();
  const { PETSTORE_TEST_CLUSTER: made } = process.env;
  if (made === undefined) initialise(data);
  else runAsNobody("cp", "-a", made, data);
  const server = new Server(folder, data, port, settings);
  try {
    await server.start();
  } catch (cause) {
    await server.remove();
    throw cause;
  }
  return server;
}

/** What servers start as a copy of, where PETSTORE_TEST_CLUSTER names it: sooner than from nothing. */
export function makeCluster(): { readonly data: string; remove(): void } {
  const folder = makeFolder();
  const data = join(folder, "data");
  initialise(data);
  // Servers that just lost their process may be writing their last words.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return { data, remove };
}

function initialise(data: string): void {
  const user = ["-U", "postgres", "-A", "trust"];
  // Every server starts as a copy: of a log of 1 MB, where 16 MB are usual.
  const small = ["--wal-segsize=1"];
  runAsNobody(
    postgresProgram("initdb"),
    "-D",
    data,
    ...user,
    ...small,
    "-N",
    "--locale=C",
    "-E",
    "UTF8",
  );
}

/** Beside the cluster of the run if there is one, so that it is removed together with it. */
function makeFolder(): string {
  const { PETSTORE_TEST_CLUSTER: made } = process.env;
  const place = made === undefined ? tmpdir() : dirname(made);
  const folder = mkdtempSync(join(place, "petstore-postgres-"));
  if (isRoot) chownSync(folder, nobodyId, nobodyId);
  return folder;
}

class Server implements PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #data: string;
  #settings: Settings;
  #process: ChildProcess | undefined;
  #said = "";
  #schemas = 0;
  /** By address. One that has seen the tables empties them in a fifth of the time a new one takes. */
  readonly #emptying = new Map<string, pg.Client>();

  constructor(folder: string, data: string, port: number, settings: Settings) {
    this.#folder = folder;
    this.#data = data;
    this.port = port;
    this.#settings = settings;
    process.on("exit", () => this.#process?.kill("SIGQUIT"));
  }

  async start(): Promise<void> {
    const given = Object.entries({
      listen_addresses: "127.0.0.1",
      port: String(this.port),
      unix_socket_directories: "",
      fsync: "on",
      max_connections: "200",
      ...this.#settings,
    }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const command = [postgresProgram("postgres"), "-D", this.#data, ...given];
    const child = spawn(...dieWithParent(command, { signal: "QUIT", asNobody: true }), {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    this.#said = "";
    child.stderr?.on("data", (text) => {
      this.#said = `${this.#said}${text}`.slice(-4_000);
    });
    const message = () => `PostgreSQL does not start: ${this.#said}`;
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(message());
      return this.#answers();
    }, message);
  }

  logged(): string {
    return this.#said;
  }

  async #answers(): Promise<boolean> {
    return this.query("SELECT 1").then(
      () => true,
      () => false,
    );
  }

  async stop(mode: StopMode = "fast"): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    for (const client of this.#emptying.values()) void client.end().catch(() => {});
    this.#emptying.clear();
    child.kill(stopSignals[mode]);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop("immediate");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async database(name: string): Promise<string> {
    await this.query(`CREATE DATABASE ${name}`);
    return this.#address(name);
  }

  async schema(): Promise<string> {
    const name = `schema_${++this.#schemas}`;
    await this.query(`CREATE SCHEMA ${name}`);
    return `${this.#address("postgres")}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
  }

  async empty(address: string): Promise<void> {
    const client = this.#emptying.get(address) ?? (await connectTo(address));
    this.#emptying.set(address, client);
    await client.query(
      `DO $$ DECLARE name text; BEGIN
         -- The tables refer to each other, and all of them are emptied.
         SET LOCAL session_replication_role = replica;
         FOR name IN SELECT tablename FROM pg_tables
           WHERE schemaname = current_schema() AND tablename NOT IN ('meta', 'counters')
         LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
         IF to_regclass('counters') IS NOT NULL THEN UPDATE counters SET value = 0; END IF;
       END $$`,
    );
  }

  async query(text: string, address = this.#address("postgres")): Promise<unknown[]> {
    return queryOnce(address, text);
  }

  async standby(): Promise<PostgresServer> {
    const folder = makeFolder();
    const data = join(folder, "data");
    await this.stop();
    runAsNobody("cp", "-a", this.#data, data);
    runAsNobody("touch", join(data, "standby.signal"));
    const follows = `host=127.0.0.1 port=${this.port} user=postgres application_name=standby`;
    const port = await freePort();
    const other = new Server(folder, data, port, { primary_conninfo: follows });
    await this.start();
    await other.start();
    // From now on a commit is acknowledged when both have it.
    this.#settings = { ...this.#settings, synchronous_standby_names: "standby" };
    await this.stop();
    await this.start();
    return other;
  }

  async promote(): Promise<void> {
    await this.query("SELECT pg_promote()");
  }

  async hangUp(condition = "true"): Promise<number> {
    const rows = await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'petstore' AND (${condition})`,
    );
    return rows.length;
  }

  #address(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }
}
