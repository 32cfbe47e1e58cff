/** PowerDNS: a name server that knows ALIAS, the CNAME of an apex. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answersDns } from "./ask.ts";
import { type NameServer, type NameServerOptions, serveZones } from "./nameServer.ts";
import { run, startChild } from "./processes.ts";

export interface PowerDnsOptions extends NameServerOptions {
  /** `127.53.1.53:5300`: whom it asks for the addresses behind an ALIAS. */
  readonly resolver: string;
}

export async function startPowerDns(options: PowerDnsOptions): Promise<NameServer> {
  const { folder, address, port } = options;
  const zoneList = join(folder, "zones.conf");
  const files = new Map<string, string>();
  writeFileSync(zoneList, "");
  writeFileSync(join(folder, "pdns.conf"), configurationText(options, zoneList));
  const control = (...args: string[]) => run("pdns_control", [`--config-dir=${folder}`, ...args]);
  const child = await startChild({
    tool: "pdns_server",
    args: [`--config-dir=${folder}`],
    ready: async () => (await answersDns(address, port)) && (await control("uptime")) !== "",
  });

  async function rediscover(): Promise<void> {
    const entries = [...files].map(([zone, file]) => `zone "${zone}" { file "${file}"; };\n`);
    writeFileSync(zoneList, entries.join(""));
    await control("rediscover");
  }

  return serveZones(options, child, {
    async add(zone, file) {
      files.set(zone, file);
      await rediscover();
    },
    reload: async (zone) => void (await control("bind-reload-now", zone)),
    async remove(zone) {
      files.delete(zone);
      await rediscover();
    },
    complaint: (zone) => new RegExp(`(?:Error parsing|Zone for) '${RegExp.escape(zone)}'`),
  });
}

// No caches of its own, so that a change takes effect at once; no look-up of its own version.
function configurationText(options: PowerDnsOptions, zoneList: string): string {
  const { folder, address, port, resolver } = options;
  return `
daemon=no
guardian=no
launch=bind
bind-config=${zoneList}
local-address=${address}
local-port=${port}
socket-dir=${folder}
expand-alias=yes
resolver=${resolver}
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
distributor-threads=1
receiver-threads=1
security-poll-suffix=
disable-syslog=yes
loglevel=4
`;
}
