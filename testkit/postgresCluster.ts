/**
 * A primary and two standbys of PostgreSQL on loopback. A commit is acknowledged when the primary
 * and at least one of the others have it on disk, whichever of the three is the primary.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dieWithParent, isRoot, nobodyId } from "./dieWithParent.ts";
import { eventually } from "./eventually.ts";
import { freePorts } from "./freePorts.ts";
import { postgresProgram, queryOnce, runAsNobody } from "./postgresPrograms.ts";

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
    const streaming = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
    await eventually(
      async () => (await first.query(streaming)).length === standbys.length,
      () => "Not both standbys follow the primary.",
    );
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
    runAsNobody(postgresProgram("initdb"), "-D", this.#data, ...access);
  }

  copy(primary: Node): void {
    runAsNobody("cp", "-a", primary.#data, this.#data);
    runAsNobody("touch", join(this.#data, "standby.signal"));
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
    const command = [postgresProgram("postgres"), "-D", this.#data, ...settings];
    const child = spawn(...dieWithParent(command, { signal: "QUIT", asNobody: true }), {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    this.#ended = once(child, "exit");
    child.stderr.on("data", (text) => {
      this.#said = `${this.#said}${text}`.slice(-4_000);
    });
    const message = () => `PostgreSQL does not start: ${this.#said}`;
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(message());
      return this.query("SELECT 1").then(
        () => true,
        () => false,
      );
    }, message);
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

  query(text: string): Promise<unknown[]> {
    return queryOnce(`postgres://postgres@127.0.0.1:${this.port}/postgres`, text);
  }

  #route(primary: Node): string {
    return `host=127.0.0.1 port=${primary.port} user=postgres application_name=${this.name}`;
  }
}

/**
 * Whatever was acknowledged is on at least one of the standbys, and so on the one that has most of
 * the log. First nothing may reach them any more: else the other one could overtake it.
 */
export async function promoteTheFurthest(standbys: readonly [Node, Node]): Promise<Node> {
  for (const standby of standbys) {
    await eventually(
      () => standby.isCutOff(),
      () => `The ${standby.name} server is not cut off.`,
    );
  }
  const [one, other] = standbys;
  const oneIsFurther = (await one.receivedLsn()) >= (await other.receivedLsn());
  const [furthest, behind] = oneIsFurther ? [one, other] : [other, one];
  // Before the promotion, so that the new primary has from the start whom it must wait for.
  await behind.follow(furthest);
  await furthest.promote();
  return furthest;
}
