/** One database server: a member of etcd, and Patroni, which starts PostgreSQL. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { queryOnce } from "../../testkit/postgresPrograms.ts";
import { type Network, pidsIn, run, signal } from "./network.ts";

export const ports = { postgres: 5432, patroni: 8008, etcd: [2379, 2380] } as const;
const restMsMax = 2_000;

/**
 * The settings of a file of `deploy/patroni/`, which are those of db1, as the environment of another
 * server. A list of all three stays one.
 */
export function readEnv(
  text: string,
  number: number,
  addressOf: (number: number) => string,
): Record<string, string> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      const value = line.slice(at + 1);
      const own = value.includes("db2") ? value : value.replaceAll(/\bdb1\b/g, `db${number}`);
      const host = /db(\d)\.example\.com/g;
      return [line.slice(0, at), own.replaceAll(host, (_, each) => addressOf(Number(each)))];
    }),
  );
}

export interface NodeOptions {
  readonly number: number;
  readonly network: Network;
  readonly folder: string;
  /** For etcd, and for Patroni. */
  readonly etcd: Record<string, string>;
  readonly patroni: Record<string, string>;
  /** The file that Patroni reads. */
  readonly config: string;
}

type Kind = "etcd" | "patroni" | "postgres";

export class Node {
  readonly name: string;
  readonly number: number;
  readonly address: string;
  /** The file that Patroni reads. */
  readonly config: string;
  /** Where PostgreSQL has its data. */
  readonly data: string;
  readonly #options: NodeOptions;
  readonly #namespace: string;

  constructor(options: NodeOptions) {
    const { number, network, folder } = options;
    this.#options = options;
    this.number = number;
    this.name = `db${number}`;
    this.address = network.address(number);
    this.config = options.config;
    this.data = join(folder, "data");
    this.#namespace = network.namespace(number);
    mkdirSync(folder, { recursive: true });
    run("chown", "postgres", folder);
    chmodSync(folder, 0o700);
  }

  startEtcd(): void {
    this.#start("etcd", ["etcd"], this.#options.etcd);
  }

  startPatroni(): void {
    this.#start("patroni", ["patroni", this.config], this.#options.patroni);
  }

  #start(log: string, command: readonly string[], env: Record<string, string>): void {
    const file = openSync(join(this.#options.folder, `${log}.log`), "a");
    const { PATH = "" } = process.env;
    spawn("ip", ["netns", "exec", this.#namespace, ...asPostgres(command)], {
      env: { PATH, HOME: this.#options.folder, LC_ALL: "C.UTF-8", ...env },
      stdio: ["ignore", file, file],
      cwd: "/",
    });
  }

  /** A command on this server, to its end, as the user of the database. */
  run(...command: readonly string[]): string {
    const env = Object.entries(this.#options.patroni).map(([name, value]) => `${name}=${value}`);
    return run(
      "ip",
      ...["netns", "exec", this.#namespace, "env", "-C", "/", ...env],
      ...asPostgres(command),
    );
  }

  pids(kind?: Kind): number[] {
    return pidsIn(this.#namespace).filter((pid) => kind === undefined || kindOf(pid) === kind);
  }

  signal(name: NodeJS.Signals, ...kinds: readonly Kind[]): void {
    const pids = kinds.length === 0 ? this.pids() : kinds.flatMap((kind) => this.pids(kind));
    for (const pid of pids) signal(pid, name);
  }

  /** The process that receives what the primary sends, if this is a standby. */
  walReceiver(): number | undefined {
    return this.pids("postgres").find((pid) => commandOf(pid).includes("walreceiver"));
  }

  /** Whether Patroni, PostgreSQL and etcd run. */
  runs(kind: Kind): boolean {
    return this.pids(kind).length > 0;
  }

  removeData(): void {
    rmSync(this.data, { recursive: true, force: true });
  }

  /** What Patroni's REST API says; undefined where it does not answer. */
  async rest(path: string): Promise<unknown> {
    try {
      const signal = AbortSignal.timeout(restMsMax);
      const response = await fetch(`http://${this.address}:${ports.patroni}${path}`, { signal });
      return await response.json();
    } catch {
      return undefined;
    }
  }

  async etcdIsHealthy(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(restMsMax);
      const response = await fetch(`http://${this.address}:${ports.etcd[0]}/health`, { signal });
      return ((await response.json()) as { health?: string }).health === "true";
    } catch {
      return false;
    }
  }

  /** One statement of the superuser. */
  query(text: string, database = "postgres"): Promise<unknown[]> {
    const { PATRONI_SUPERUSER_PASSWORD: password } = this.#options.patroni;
    const at = `${this.address}:${ports.postgres}`;
    return queryOnce(`postgres://postgres:${password}@${at}/${database}`, text);
  }
}

const asPostgres = (command: readonly string[]) => [
  ...["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"],
  ...["--pdeathsig", "KILL", "--", ...command],
];

function kindOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
