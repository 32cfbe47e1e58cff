/** Three database servers as the guide sets them up: the files are those of `deploy/patroni/`. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause } from "../load.ts";
import { Network, run } from "./network.ts";
import { Node, readEnv } from "./node.ts";

/** How long the cluster may take to be whole again, on a busy machine. */
const wholeMsMax = 300_000;
/** After it a standby that follows nobody is rebuilt, as the guide has operators do. */
const rebuildMs = 60_000;
const askAgainMs = 200;
const numbers = [1, 2, 3] as const;

export const deployed = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../deploy/patroni/${file}`, import.meta.url)), "utf8");

/** The lease of the primary, as the guide's example sets it. */
export function leaseOf(config: string): { readonly ttl: number; readonly loopWait: number } {
  const seconds = (name: string) => {
    const found = new RegExp(`^ +${name}: (\\d+)$`, "m").exec(config)?.[1];
    if (found === undefined) throw new Error(`patroni.yaml has no ${name}.`);
    return Number(found);
  };
  return { ttl: seconds("ttl"), loopWait: seconds("loop_wait") };
}

/** A text with what the example says replaced by what is so here. Each must occur. */
export function adapted(text: string, replaced: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replaced)) {
    if (!result.includes(from)) throw new Error(`The example does not contain ${from}.`);
    result = result.replaceAll(from, to);
  }
  return result;
}

export interface Member {
  readonly name: string;
  /** `leader`, `sync_standby` or `replica`. */
  readonly role: string;
  readonly state: string;
}

/** What most of those that answer say of who is the leader; none where they disagree. */
export function agreedView(views: readonly (readonly Member[] | undefined)[]): readonly Member[] {
  const leaderOf = (view: readonly Member[]) => view.find(({ role }) => role === "leader")?.name;
  const there = views.filter((view) => view !== undefined);
  const byLeader = Map.groupBy(there, leaderOf);
  const most = [...byLeader].find(
    ([leader, same]) => leader !== undefined && same.length * 2 > there.length,
  );
  return most?.[1][0] ?? [];
}

export interface ClusterOptions {
  readonly folder: string;
  readonly password: string;
  /** What to change of the example, to see that it matters. */
  readonly asynchronous?: boolean;
}

export class Cluster {
  readonly nodes: readonly Node[];
  readonly network = new Network(numbers.length);
  readonly #options: ClusterOptions;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { folder } = options;
    chmodSync(folder, 0o755);
    const archive = join(folder, "archive");
    mkdirSync(archive);
    run("chown", "postgres", archive);
    writeFileSync(join(folder, "pgbackrest.conf"), deployed("pgbackrest.conf"));
    this.nodes = numbers.map((number) => this.#node(number, archive));
  }

  #node(number: number, archive: string): Node {
    const { folder, password, asynchronous } = this.#options;
    const own = join(folder, `db${number}`);
    const config = join(folder, `db${number}.yaml`);
    const changed = asynchronous && {
      "synchronous_mode: true": "synchronous_mode: false",
      "synchronous_mode_strict: true": "synchronous_mode_strict: false",
    };
    const sockets = { "/var/run/postgresql": own };
    writeFileSync(config, adapted(deployed("patroni.yaml"), { ...sockets, ...changed }));
    const env = (file: string) =>
      readEnv(deployed(file), number, (each) => this.network.address(each));
    return new Node({
      ...{ number, network: this.network, folder: own, config },
      etcd: { ...env("etcd.env"), ETCD_DATA_DIR: join(own, "etcd") },
      patroni: {
        ...env("node.env"),
        PATRONI_POSTGRESQL_DATA_DIR: join(own, "data"),
        PATRONI_POSTGRESQL_PGPASS: join(own, "pgpass"),
        PATRONI_SUPERUSER_PASSWORD: password,
        PATRONI_REPLICATION_PASSWORD: password,
        PGBACKREST_CONFIG: join(folder, "pgbackrest.conf"),
        PGBACKREST_REPO1_PATH: archive,
        PGBACKREST_LOCK_PATH: join(own, "lock"),
        PGBACKREST_PG1_PATH: join(own, "data"),
        PGBACKREST_PG1_SOCKET_PATH: own,
      },
    });
  }

  /** Starts all, and waits until a commit needs a standby. */
  async start(): Promise<void> {
    this.network.open();
    for (const node of this.nodes) node.startEtcd();
    await this.#until("etcd is healthy", () => this.#all((node) => node.etcdIsHealthy()));
    const [first] = this.nodes;
    first?.startPatroni();
    await this.#until("there is a primary", async () => (await this.primary()) !== undefined);
    // A backup needs it, and so does the archiving that a new standby waits for.
    first?.run("pgbackrest", "--stanza=petstore", "stanza-create");
    for (const node of this.nodes.slice(1)) node.startPatroni();
    await this.whole();
    const primary = await this.primary();
    await primary?.query(`CREATE ROLE petstore LOGIN PASSWORD '${this.#options.password}'`);
    await primary?.query("CREATE DATABASE petstore OWNER petstore");
  }

  /** As most servers see them: one that is cut off sees what was. */
  async members(): Promise<readonly Member[]> {
    const said = await Promise.all(this.nodes.map((node) => node.rest("/cluster")));
    return agreedView(said.map((each) => (each as { members?: Member[] } | undefined)?.members));
  }

  /** The server that holds the lease and runs. */
  async primary(): Promise<Node | undefined> {
    const leader = (await this.members()).find(
      ({ role, state }) => role === "leader" && state === "running",
    );
    return this.nodes.find(({ name }) => name === leader?.name);
  }

  /** The primary, and the standby that has every acknowledged commit, and the other one. */
  async roles(): Promise<{ readonly primary: Node; readonly sync: Node; readonly other: Node }> {
    const members = await this.members();
    const by = (role: string) =>
      this.nodes.find(({ name }) => members.find((each) => each.name === name)?.role === role);
    const primary = by("leader");
    const sync = by(this.#options.asynchronous ? "replica" : "sync_standby");
    const other = this.nodes.find((node) => node !== primary && node !== sync);
    if (primary === undefined || sync === undefined || other === undefined) {
      throw new Error(`The cluster is not whole: ${JSON.stringify(members)}`);
    }
    return { primary, sync, other };
  }

  /** Waits until another server than this one is the primary. */
  async replaced(former: Node): Promise<void> {
    await this.#until(`${former.name} is replaced`, async () => {
      const primary = await this.primary();
      return primary !== undefined && primary !== former;
    });
  }

  /**
   * Waits until both standbys follow the primary, and a commit waits for one of them. Returns the
   * standbys that had to be rebuilt: one that holds, or finds in the archive, the end of a timeline
   * that its successor did not take over may ask for it again and again.
   */
  async whole(): Promise<readonly string[]> {
    const rebuilt: string[] = [];
    const startMs = performance.now();
    await this.#until("all servers are back", async () => {
      const primary = await this.primary();
      if (primary === undefined) return false;
      if (!(await this.#all((node) => node.etcdIsHealthy()))) return false;
      const followers = (await primary
        .query(
          "SELECT application_name, sync_state FROM pg_stat_replication WHERE state = 'streaming'",
        )
        .catch(() => [])) as { application_name: string; sync_state: string }[];
      const sync = followers.filter(({ sync_state }) => sync_state === "sync").length;
      const isSync = this.#options.asynchronous || (sync === 1 && (await this.#hasSyncStandby()));
      if (followers.length === numbers.length - 1) return isSync;
      const lost = this.nodes.find(
        ({ name }) =>
          name !== primary.name && !followers.some((each) => each.application_name === name),
      );
      if (lost && rebuilt.length === 0 && performance.now() - startMs > rebuildMs) {
        primary.run("patronictl", "-c", primary.config, "reinit", "petstore", lost.name, "--force");
        rebuilt.push(lost.name);
      }
      return false;
    });
    return rebuilt;
  }

  async #hasSyncStandby(): Promise<boolean> {
    return (await this.members()).some(({ role }) => role === "sync_standby");
  }

  async #all(ask: (node: Node) => Promise<boolean>): Promise<boolean> {
    return (await Promise.all(this.nodes.map(ask))).every(Boolean);
  }

  async #until(what: string, ask: () => Promise<boolean>): Promise<void> {
    await until(`${what}, after ${JSON.stringify(await this.members())}`, ask);
  }
}

/** Asks again and again, for as long as a busy machine may take. */
export async function until(what: string, ask: () => Promise<boolean> | boolean): Promise<void> {
  const lateMs = performance.now() + wholeMsMax;
  while (!(await ask())) {
    if (performance.now() > lateMs) throw new Error(`Not in ${wholeMsMax} ms: ${what}.`);
    await pause(askAgainMs);
  }
}
