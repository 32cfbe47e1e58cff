/** Unbound: the recursor, with a real cache. It learns where a zone is served while it runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answersDns } from "./ask.ts";
import { run, startChild } from "./processes.ts";

/** Nobody has the key for it: whatever a name server says of it does not verify. */
export const signedZone = "signed.test";

export interface UnboundOptions {
  readonly folder: string;
  readonly address: string;
  readonly port: number;
  /** Who serves the root, and thereby all that no other zone covers, as `127.53.1.1@5300`. */
  readonly root: string;
  readonly cacheMaxTtl?: number;
}

export interface Unbound {
  readonly address: string;
  readonly port: number;
  /** From now on the zone is asked of these name servers, each as `127.53.1.1@5300`. */
  setStub(zone: string, servers: readonly string[]): Promise<void>;
  removeStub(zone: string): Promise<void>;
  /** Forgets the name and all below it, and which servers were slow; without a name, everything. */
  flush(name?: string): Promise<void>;
  output(): string;
  stop(): Promise<void>;
}

export async function startUnbound(options: UnboundOptions): Promise<Unbound> {
  const { folder, address, port } = options;
  const configuration = join(folder, "unbound.conf");
  writeFileSync(configuration, configurationText(options));
  const control = (...args: string[]) => run("unbound-control", ["-c", configuration, ...args]);
  const child = await startChild({
    tool: "unbound",
    args: ["-d", "-p", "-c", configuration],
    ready: async () => (await answersDns(address, port)) && (await control("status")) !== "",
  });

  async function flush(name = "."): Promise<void> {
    await control("flush_zone", name);
    await control("flush_infra", "all");
  }

  return {
    address,
    port,
    async setStub(zone, servers) {
      await control("stub_add", zone, ...servers);
      await flush(zone);
    },
    async removeStub(zone) {
      await control("stub_remove", zone);
      await flush(zone);
    },
    flush,
    output: child.output,
    stop: child.stop,
  };
}

// A delegation would be followed to port 53, so every zone is a stub with a port of its own, and
// names are asked for whole. The only zone that must be signed is the one with a trust anchor, which
// stands for a DS record in the zone above. `test.` is answered by unbound itself unless told
// otherwise.
function configurationText(options: UnboundOptions): string {
  const { folder, address, port, root, cacheMaxTtl = 86_400 } = options;
  return `
server:
  interface: ${address}
  port: ${port}
  access-control: 127.0.0.0/8 allow
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 1
  do-daemonize: no
  num-threads: 1
  do-ip6: no
  module-config: "validator iterator"
  trust-anchor: "${signedZone}. DS 12345 13 2 ${"0123456789abcdef".repeat(4)}"
  do-not-query-localhost: no
  qname-minimisation: no
  target-fetch-policy: "0 0 0 0 0"
  rrset-roundrobin: no
  cache-max-ttl: ${cacheMaxTtl}
  local-zone: "test." nodefault
remote-control:
  control-enable: yes
  control-interface: "${join(folder, "unbound.sock")}"
  control-use-cert: no
stub-zone:
  name: "."
  stub-addr: ${root}
`;
}
