/** A failover: two processes of the service under load, the primary killed, a standby promoted. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../testkit/eventually.ts";
import { type Cluster, promoteTheFurthest, startCluster } from "../../testkit/postgresCluster.ts";
import { petstore } from "../../testkit/serviceProcess.ts";
import { type Acknowledged, type Notes, startClients, walk } from "./clients.ts";
import { type ServiceProcess, startService } from "./service.ts";

export interface Plan {
  readonly clientsPerProcess: number;
  /** How many pets are acknowledged before the primary is killed, and after it by each process. */
  readonly petsBefore: number;
  readonly petsAfter: number;
  readonly say?: (line: string) => void;
}

export interface Outcome {
  /** Pets whose creation was acknowledged. */
  readonly acknowledged: number;
  readonly acknowledgedBefore: number;
  /** Attempts answered with 503. All were repeated until they were acknowledged. */
  readonly refused: number;
  /** Acknowledged and not there, in either process or in the database. */
  readonly lost: readonly string[];
  /** Stored more than once, or under another id than in the response. */
  readonly wrong: readonly string[];
  /** Anything else that no client should meet. */
  readonly strange: readonly string[];
  /** By process: from the death of the primary to the first pet sent and acknowledged after it. */
  readonly secondsAway: readonly number[];
  /** How much of that went by until the standby was promoted. */
  readonly secondsToPromotion: number;
  readonly promoted: string;
  /** The exit codes of the two processes, which were never started again. */
  readonly exits: readonly (number | string)[];
}

export async function rehearseFailover(plan: Plan): Promise<Outcome> {
  const cluster = await startCluster();
  const folder = mkdtempSync(join(tmpdir(), "petstore-failover-data-"));
  const processes: ServiceProcess[] = [];
  try {
    const variables = {
      DATABASE_URL: cluster.address,
      PETSTORE_DATA: folder,
      PETSTORE_LOG: "error",
      PETSTORE_SECRET: "the processes of this rehearsal share one secret",
    };
    const { code, stdout, stderr } = await petstore(["keys", "create", "--json"], variables);
    if (code !== 0) throw new Error(`No key could be made: ${stderr}`);
    for (let count = 0; count < 2; count++) processes.push(await startService(variables));
    return await rehearse(plan, cluster, processes, JSON.parse(stdout).key);
  } finally {
    for (const { end } of processes) await end("SIGKILL");
    await cluster.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function rehearse(
  plan: Plan,
  cluster: Cluster,
  processes: readonly ServiceProcess[],
  key: string,
): Promise<Outcome> {
  const say = plan.say ?? (() => {});
  const [primary, ...standbys] = cluster.nodes;
  const bases = processes.map(({ base }) => base);
  const clients = startClients(bases, key, plan.clientsPerProcess);
  const { notes } = clients;
  const added = (count: number) =>
    eventually(
      () => notes.acknowledged.length >= count || notes.strange.length > 0,
      () => `${notes.acknowledged.length} of ${count} pets were added.`,
    );
  await added(plan.petsBefore / 2);
  // From here on it lacks acknowledged writes, so promoting it would lose them.
  await standbys[0].follow(undefined);
  say(`The ${standbys[0].name} server lags after ${notes.acknowledged.length} pets.`);
  await added(plan.petsBefore);
  const killedMs = performance.now();
  await primary.kill();
  const acknowledgedBefore = notes.acknowledged.length;
  say(`The primary was killed after ${acknowledgedBefore} pets.`);

  const promoted = await promoteTheFurthest(standbys);
  const secondsToPromotion = (performance.now() - killedMs) / 1_000;
  say(`The ${promoted.name} server was promoted ${secondsToPromotion.toFixed(2)} s later.`);
  const since = (process: number) =>
    notes.acknowledged.filter((each) => each.process === process && each.sentMs > killedMs);
  await eventually(
    () =>
      bases.every((_, process) => since(process).length >= plan.petsAfter) ||
      notes.strange.length > 0,
    () => "Not both processes add pets again.",
  );
  await clients.stop();

  const shown = await Promise.all(bases.map((base) => walk(base, key)));
  const stored = (await promoted.query("SELECT id::int, name FROM pets")) as Named[];
  const exits = await Promise.all(processes.map(({ end }) => end("SIGTERM")));
  return {
    acknowledged: notes.acknowledged.length,
    acknowledgedBefore,
    refused: [...notes.refused.values()].reduce((sum, count) => sum + count, 0),
    ...judge(notes, [...shown, stored]),
    strange: notes.strange,
    secondsAway: bases.map((_, process) => secondsUntil(since(process), killedMs)),
    secondsToPromotion,
    promoted: promoted.name,
    exits,
  };
}

interface Named {
  readonly id: number;
  readonly name: string;
}

export function judge({ acknowledged }: Pick<Notes, "acknowledged">, views: readonly Named[][]) {
  const lost = new Set<string>();
  const wrong = new Set<string>();
  for (const view of views) {
    const idsByName = Map.groupBy(view, ({ name }) => name);
    for (const { id, name } of acknowledged) {
      const found = idsByName.get(name) ?? [];
      if (found.length === 0) lost.add(name);
      else if (found.length > 1 || found[0]?.id !== id) wrong.add(name);
    }
    // All that was refused was repeated until it was acknowledged: nothing else should be there.
    const acknowledgedNames = new Set(acknowledged.map(({ name }) => name));
    for (const { name } of view) if (!acknowledgedNames.has(name)) wrong.add(name);
  }
  return { lost: [...lost], wrong: [...wrong] };
}

function secondsUntil(acknowledged: readonly Acknowledged[], killedMs: number): number {
  return (Math.min(...acknowledged.map(({ answeredMs }) => answeredMs)) - killedMs) / 1_000;
}
