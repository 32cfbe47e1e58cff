/** Everything as it was at one moment, from the archive of pgBackRest, as the guide does it. */
import { dirname, join } from "node:path";
import { exchange } from "../exchange.ts";
import { judgeStore } from "../judge.ts";
import type { Ledger } from "../ledger.ts";
import { exactText } from "../load.ts";
import { judgeEnd } from "../storeFixture.ts";
import { walk } from "../walk.ts";
import { until } from "./cluster.ts";
import type { FaultContext } from "./faults.ts";
import type { Node } from "./node.ts";

const laterPets = 20;

/** Resolves with how many seconds the restore took, until the service answers again. */
export async function restoreToMoment(context: FaultContext, ledger: Ledger): Promise<number> {
  const { cluster, services, tally, say } = context;
  const { base, token } = services;
  const walker = { base, token, tally };
  const contents = async () =>
    JSON.stringify(
      [await walk(walker, "/pets?limit=100"), await walk(walker, "/store/orders")],
      exactText,
    );
  const { primary } = await cluster.roles();
  primary.run("pgbackrest", "--stanza=petstore", "backup");

  await judgeStore({ ...walker, ledger, settle: true });
  const before = await contents();
  const [row] = (await primary.query("SELECT clock_timestamp()::text AS moment")) as Row[];
  const moment = row?.moment ?? "";
  for (let count = 0; count < laterPets; count++) {
    const body = JSON.stringify({ name: `Later ${count}`, categoryId: 1 });
    const url = `${base}/pets`;
    const answer = await exchange({ method: "POST", url, token, body }, tally);
    tally.judge(answer?.status === 201, () => `A later pet was answered ${answer?.status}`);
  }
  await primary.query("DELETE FROM pets WHERE id % 2 = 0", "petstore");
  await primary.query("SELECT pg_switch_wal()");
  tally.judge((await contents()) !== before, () => "The damage cannot be seen");
  say(`Damaged after ${moment}.`);

  const startMs = performance.now();
  for (const victim of services.victims) await judgeEnd(victim, tally);
  for (const node of cluster.nodes) node.signal("SIGTERM", "patroni");
  for (const node of cluster.nodes) {
    await until(`${node.name} has stopped`, () => !node.runs("patroni") && !node.runs("postgres"));
  }
  await restoreOn(primary, moment);
  // Patroni starts a new cluster with what it finds there; the others copy it.
  const endpoint = `--endpoints=http://${primary.address}:2379`;
  const forget = ["etcdctl", endpoint, "rm", "--recursive", "/service/petstore"];
  primary.run("env", "ETCDCTL_API=2", ...forget);
  for (const node of cluster.nodes) if (node !== primary) node.removeData();
  primary.startPatroni();
  await until(
    "the restored server is the primary",
    async () => (await cluster.primary()) === primary,
  );
  for (const node of cluster.nodes) if (node !== primary) node.startPatroni();
  await cluster.whole();
  for (const index of services.victims.keys()) await services.start(index);
  await services.isBack(base);
  const seconds = (performance.now() - startMs) / 1_000;

  tally.judge((await contents()) === before, () => `It is not as it was at ${moment}`);
  await judgeStore({ ...walker, ledger, settle: true });
  say(`As it was at ${moment}, after ${seconds.toFixed(0)} s.`);
  return seconds;
}

interface Row {
  readonly moment: string;
}

async function restoreOn(node: Node, moment: string): Promise<void> {
  const target = ["--type=time", `--target=${moment}`, "--target-action=promote"];
  node.run("pgbackrest", "--stanza=petstore", "--delta", ...target, "restore");
  // Once without Patroni, which would leave the target out.
  const control = ["/usr/lib/postgresql/15/bin/pg_ctl", "--pgdata", node.data, "--wait"];
  const alone = ["--options", "-c listen_addresses=", "--log", join(node.data, "restore.log")];
  node.run(...control, ...alone, "start");
  const isOver = ["psql", "-h", dirname(node.data), "-Atc", "SELECT NOT pg_is_in_recovery()"];
  await until("the moment is reached", () => node.run(...isOver).trim() === "t");
  node.run(...control, "stop");
}
