/** Three processes of the service behind HAProxy, which also leads them to the primary. */
import { spawn } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dieWithParent } from "../../testkit/dieWithParent.ts";
import { freePorts } from "../../testkit/freePorts.ts";
import { startVictim, type Victim } from "../service.ts";
import { adapted, type Cluster, deployed, until } from "./cluster.ts";

const count = 3;
const statusMsMax = 5_000;
/** So many right answers in a row make a process one that is back. */
const answersInARow = 5;

export interface ServicesOptions {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly password: string;
  readonly secret: string;
  /** Whether the processes find the primary by the list of servers instead of through HAProxy. */
  readonly listServers: boolean;
}

export interface Services {
  /** Of HAProxy: what clients use. */
  readonly base: string;
  readonly token: string;
  /** The processes, as they are now. */
  readonly victims: readonly Victim[];
  readonly folder: string;
  start(index: number, variables?: Record<string, string>): Promise<void>;
  /** Waits until a process, or HAProxy, answers reads and is ready for writes. */
  isBack(base: string): Promise<void>;
  killed(): Promise<void>;
}

export async function openServices(options: ServicesOptions): Promise<Services> {
  const { cluster, folder, password, secret, listServers } = options;
  const [web = 0, database = 0, ...ports] = await freePorts(count + 2);
  const file = join(folder, "haproxy.cfg");
  const moved: Record<string, string> = { "127.0.0.1:8000": `127.0.0.1:${web}` };
  moved["127.0.0.1:5000"] = `127.0.0.1:${database}`;
  // Clients of the run do not retry what they send at the moment an idle connection is closed.
  moved["timeout http-keep-alive 50s"] = "timeout http-keep-alive 1h";
  for (const [at, port] of ports.entries()) moved[`127.0.0.1:${8080 + at}`] = `127.0.0.1:${port}`;
  for (const { name, address } of cluster.nodes) moved[`${name}.example.com`] = address;
  writeFileSync(file, adapted(deployed("haproxy.cfg"), moved));
  const log = openSync(join(folder, "haproxy.log"), "a");
  const proxy = spawn(...dieWithParent(["haproxy", "-db", "-f", file], { signal: "KILL" }), {
    stdio: ["ignore", log, log],
  });
  const hosts = listServers
    ? cluster.nodes.map(({ address }) => address).join()
    : `127.0.0.1:${database}`;
  const url = `postgres://petstore:${password}@${hosts}/petstore`;
  const victims: Victim[] = [];
  let token: string | undefined;
  const start = async (index: number, more?: Record<string, string>) => {
    const variables = {
      ...{ DATABASE_URL: url, PETSTORE_SECRET: secret, PETSTORE_ROLES: "none" },
      ...{ PORT: String(ports[index]), ...more },
    };
    const own = join(folder, `service-${index}`);
    const victim = await startVictim({ folder: own, variables, ...(token && { token }) });
    token = victim.token;
    victims[index] = victim;
  };
  const isBack = async (base: string) => {
    let inARow = 0;
    await until(`${base} is back`, async () => {
      const read = statusOf(`${base}/pets?limit=1`, token ?? "");
      const ready = statusOf(`${new URL(base).origin}/readyz`, "");
      const isRight = (await Promise.all([read, ready])).every((status) => status === 200);
      inARow = isRight ? inARow + 1 : 0;
      return inARow === answersInARow;
    });
  };
  const killed = async () => {
    for (const victim of victims) await victim.killed();
    proxy.kill("SIGKILL");
  };
  try {
    for (let index = 0; index < count; index++) await start(index);
    const base = `http://127.0.0.1:${web}/v1`;
    await isBack(base);
    return { folder, base, token: token ?? "", victims, start, isBack, killed };
  } catch (cause) {
    await killed();
    throw cause;
  }
}

async function statusOf(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(statusMsMax) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
