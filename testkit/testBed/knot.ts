/** Knot: a name server whose zones change while it runs. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answersDns } from "./ask.ts";
import { type NameServer, type NameServerOptions, serveZones } from "./nameServer.ts";
import { run, startChild } from "./processes.ts";

/** With it, records of every zone may be changed from outside. */
export const updateKey = {
  algorithm: "hmac-sha256",
  name: "updates",
  secret: Buffer.from("only for tests, and nothing else").toString("base64"),
} as const;

export async function startKnot(options: NameServerOptions): Promise<NameServer> {
  const { folder, address, port } = options;
  const socket = join(folder, "knot.sock");
  const configuration = join(folder, "knot.conf");
  mkdirSync(join(folder, "run"), { recursive: true });
  writeFileSync(configuration, configurationText(folder, socket, address, port));
  const control = (...args: string[]) => run("knotc", ["-s", socket, ...args]);
  const child = await startChild({
    tool: "knotd",
    args: ["-c", configuration],
    ready: async () => (await answersDns(address, port)) && (await control("status")) !== "",
  });

  /** Zones come and go in the running server's configuration, in one transaction each. */
  async function configure(...changes: string[][]): Promise<void> {
    await control("conf-begin");
    for (const change of changes) await control(...change);
    await control("conf-commit");
  }

  return serveZones(options, child, {
    add: (zone, file) =>
      configure(["conf-set", `zone[${zone}]`], ["conf-set", `zone[${zone}].file`, file]),
    reload: async (zone) => void (await control("-b", "zone-reload", zone)),
    remove: (zone) => configure(["conf-unset", `zone[${zone}]`]),
    complaint: (zone) =>
      new RegExp(`error: \\[${RegExp.escape(zone)}\\.?\\] zone event 'load' failed`),
  });
}

function configurationText(folder: string, socket: string, address: string, port: number): string {
  return `
server:
  rundir: "${join(folder, "run")}"
  listen: ${address}@${port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
log:
  - target: stderr
    any: notice
control:
  listen: "${socket}"
key:
  - id: ${updateKey.name}
    algorithm: ${updateKey.algorithm}
    secret: ${updateKey.secret}
acl:
  - id: updates
    key: ${updateKey.name}
    action: update
database:
  storage: "${join(folder, "run")}"
template:
  - id: default
    storage: "${folder}"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: none
    semantic-checks: off
    acl: updates
`;
}
