/** What is done to the cluster, and how long reads and writes may fail because of it. */
import { join } from "node:path";
import { faultyDisk, setFaults } from "../../testkit/faultyDisk.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { pause } from "../load.ts";
import { judgeEnd } from "../storeFixture.ts";
import type { Tally } from "../tally.ts";
import { type Cluster, deployed, leaseOf, until } from "./cluster.ts";
import { signal } from "./network.ts";
import { type Node, ports } from "./node.ts";
import type { Services } from "./services.ts";

export interface FaultContext {
  readonly cluster: Cluster;
  readonly services: Services;
  readonly random: SeededRandom;
  readonly tally: Tally;
  say(line: string): void;
}

export interface Fault {
  /** For `--only`. */
  readonly name: string;
  readonly about: string;
  /** The longest that a process may not read, or not write. With how long the fault itself lasts. */
  readonly readSecondsMax: (lastedSeconds: number) => number;
  readonly writeSecondsMax: (lastedSeconds: number) => number;
  /** Whether clients of HAProxy must notice nothing: then the processes themselves are not asked. */
  readonly unnoticed?: boolean;
  /** Strikes, and lets the cluster heal. Resolves with how many seconds the fault lasted. */
  strike(context: FaultContext): Promise<number>;
}

const { ttl, loopWait } = leaseOf(deployed("patroni.yaml"));
/** For a promotion, for the service to find the new primary, and for a busy machine. */
const graceSeconds = 10;
/** The lease expires, a standby sees it, and is promoted. */
export const failoverSeconds = ttl + loopWait + graceSeconds;
/** No lease has to expire. */
export const switchoverSeconds = loopWait + graceSeconds;
const failover = () => failoverSeconds;
const switchover = () => switchoverSeconds;
const lasts = (seconds: number) => seconds + switchoverSeconds;
const cutSeconds = 4;
const clockMsMax = 11 * 3_600_000;
/** One answer may be late, as on any busy machine, but none is lost. */
const none = () => 3;

const addresses = (nodes: readonly Node[]) => nodes.map(({ address }) => address);

/** From the strike until it is taken back. */
async function holding(work: () => Promise<void>, end: () => void): Promise<number> {
  const startMs = performance.now();
  try {
    await work();
  } finally {
    end();
  }
  return (performance.now() - startMs) / 1_000;
}

const some = (random: SeededRandom, from: number, to: number) =>
  pause(random.between(from * 1_000, to * 1_000));

async function switchOver(cluster: Cluster, to: Node): Promise<void> {
  const { primary } = await cluster.roles();
  const words = ["--leader", primary.name, "--candidate", to.name, "--force"];
  to.run("patronictl", "-c", to.config, "switchover", "petstore", ...words);
  await cluster.replaced(primary);
}

/** Patroni and PostgreSQL are gone at once; etcd stays. */
async function killed(cluster: Cluster, node: Node): Promise<void> {
  node.signal("SIGKILL", "patroni", "postgres");
  await cluster.replaced(node);
  await until(`${node.name} is gone`, () => !node.runs("patroni") && !node.runs("postgres"));
  node.startPatroni();
}

/** One process of the service ends, and another one takes its place. */
async function replace(
  services: Services,
  index: number,
  tally: Tally,
  variables?: Record<string, string>,
): Promise<void> {
  const victim = services.victims[index];
  if (victim === undefined) return;
  await judgeEnd(victim, tally);
  await services.start(index, variables);
  await services.isBack(victim.base);
  // HAProxy asks each second.
  await pause(2_000);
}

export const faults: readonly Fault[] = [
  {
    name: "primaryKilled",
    about: "SIGKILL to PostgreSQL and Patroni of the primary",
    readSecondsMax: failover,
    writeSecondsMax: failover,
    async strike({ cluster }) {
      const { primary } = await cluster.roles();
      return holding(
        () => killed(cluster, primary),
        () => {},
      );
    },
  },
  {
    name: "primaryFrozen",
    about: "SIGSTOP to everything on the server of the primary, until some time after its failover",
    readSecondsMax: failover,
    writeSecondsMax: failover,
    async strike({ cluster, random }) {
      const { primary } = await cluster.roles();
      primary.signal("SIGSTOP");
      return holding(
        async () => {
          await cluster.replaced(primary);
          await some(random, 1, 5);
        },
        () => primary.signal("SIGCONT"),
      );
    },
  },
  {
    name: "patroniFrozen",
    about: "SIGSTOP to Patroni of the primary, whose PostgreSQL goes on after its failover",
    readSecondsMax: failover,
    writeSecondsMax: failover,
    async strike({ cluster, random }) {
      const { primary } = await cluster.roles();
      primary.signal("SIGSTOP", "patroni");
      return holding(
        async () => {
          await cluster.replaced(primary);
          await some(random, 3, 6);
        },
        () => primary.signal("SIGCONT", "patroni"),
      );
    },
  },
  {
    name: "primaryCutOff",
    about: "the primary reaches no other server, and the service reaches all of them",
    readSecondsMax: failover,
    writeSecondsMax: failover,
    async strike({ cluster, random }) {
      const { primary, sync, other } = await cluster.roles();
      cluster.network.cut(primary.number, { from: addresses([sync, other]) });
      return holding(
        async () => {
          await cluster.replaced(primary);
          await some(random, 1, 5);
        },
        () => cluster.network.heal(primary.number),
      );
    },
  },
  {
    name: "primaryCutFromEtcd",
    about: "the primary reaches its standbys, but not the rest of etcd",
    readSecondsMax: none,
    writeSecondsMax: none,
    async strike({ cluster, random }) {
      const { primary, sync, other } = await cluster.roles();
      const from = addresses([sync, other]);
      cluster.network.cut(primary.number, { from, ports: ports.etcd });
      return holding(
        () => some(random, ttl + loopWait, ttl + 2 * loopWait),
        () => cluster.network.heal(primary.number),
      );
    },
  },
  {
    name: "primaryCutFromStandbys",
    about: "no standby gets anything from the primary, which keeps its lease",
    readSecondsMax: none,
    writeSecondsMax: lasts,
    async strike({ cluster, random }) {
      const { primary, sync, other } = await cluster.roles();
      const from = addresses([sync, other]);
      cluster.network.cut(primary.number, { from, ports: [ports.postgres] });
      return holding(
        () => some(random, 10, 20),
        () => cluster.network.heal(primary.number),
      );
    },
  },
  {
    name: "primaryKilledWhileCut",
    about: "no standby gets anything from the primary for seconds, and then it is killed",
    readSecondsMax: () => ttl + loopWait + failoverSeconds,
    writeSecondsMax: () => cutSeconds + ttl + loopWait + failoverSeconds,
    async strike({ cluster }) {
      const { primary, sync, other } = await cluster.roles();
      const from = addresses([sync, other]);
      cluster.network.cut(primary.number, { from, ports: [ports.postgres] });
      return holding(
        async () => {
          await pause(cutSeconds * 1_000);
          primary.signal("SIGKILL", "patroni", "postgres");
          // Once Patroni knew that no standby has it all, it promotes none until the primary is back.
          await pause((ttl + loopWait) * 1_000);
        },
        () => {
          cluster.network.heal(primary.number);
          primary.startPatroni();
        },
      );
    },
  },
  {
    name: "primaryCutFromService",
    about: "the service does not reach the primary, which keeps its lease",
    readSecondsMax: lasts,
    writeSecondsMax: lasts,
    async strike({ cluster, random }) {
      const { primary } = await cluster.roles();
      cluster.network.cut(primary.number, { from: [cluster.network.hostAddress] });
      return holding(
        () => some(random, 5, 20),
        () => cluster.network.heal(primary.number),
      );
    },
  },
  {
    name: "etcdWithoutMajority",
    about: "SIGSTOP to two of the three members of etcd",
    readSecondsMax: none,
    writeSecondsMax: none,
    async strike({ cluster, random }) {
      const first = random.between(0, 3);
      const two = cluster.nodes.filter((_, at) => at !== first);
      for (const node of two) node.signal("SIGSTOP", "etcd");
      return holding(
        () => some(random, ttl + loopWait, ttl + 2 * loopWait),
        () => {
          for (const node of two) node.signal("SIGCONT", "etcd");
        },
      );
    },
  },
  {
    name: "standbyLags",
    about:
      "the synchronous standby receives nothing, and once it is replaced the primary is killed",
    readSecondsMax: failover,
    writeSecondsMax: failover,
    async strike({ cluster, say }) {
      const { primary, sync } = await cluster.roles();
      const receiver = sync.walReceiver();
      if (receiver === undefined) throw new Error(`${sync.name} receives nothing.`);
      signal(receiver, "SIGSTOP");
      return holding(
        async () => {
          await until("another standby is synchronous", async () => {
            const members = await cluster.members();
            return members.some(({ name, role }) => role === "sync_standby" && name !== sync.name);
          });
          await killed(cluster, primary);
          const promoted = await cluster.primary();
          if (promoted === sync) throw new Error(`${sync.name} lagged and was promoted.`);
          say(`${sync.name} lagged, and ${promoted?.name} was promoted.`);
        },
        () => signal(receiver, "SIGCONT"),
      );
    },
  },
  {
    name: "clockOff",
    about: "the clock of one process of the service is hours off, forwards or back",
    readSecondsMax: none,
    writeSecondsMax: none,
    unnoticed: true,
    async strike({ services, random, tally, say }) {
      const index = random.between(0, services.victims.length);
      // Less than a day apart, for which idempotency keys are kept.
      const clockOffsetMs = random.between(-clockMsMax, clockMsMax);
      const control = join(services.folder, "clock");
      const disk = faultyDisk({ folder: services.folder, control });
      setFaults(control, { clockOffsetMs });
      say(
        `The clock of process ${index + 1} is off by ${(clockOffsetMs / 3_600_000).toFixed(1)} h.`,
      );
      return holding(
        async () => {
          await replace(services, index, tally, disk);
          await some(random, 10, 20);
          await replace(services, index, tally);
        },
        () => {},
      );
    },
  },
  {
    name: "switchover",
    about: "patronictl switchover to the synchronous standby",
    readSecondsMax: switchover,
    writeSecondsMax: switchover,
    async strike({ cluster }) {
      const { sync } = await cluster.roles();
      return holding(
        () => switchOver(cluster, sync),
        () => {},
      );
    },
  },
  {
    name: "rollingUpgrade",
    about: "the processes of the service are stopped and started, one after the other",
    readSecondsMax: none,
    writeSecondsMax: none,
    unnoticed: true,
    async strike({ services, tally }) {
      return holding(
        async () => {
          for (const index of services.victims.keys()) await replace(services, index, tally);
        },
        () => {},
      );
    },
  },
];
