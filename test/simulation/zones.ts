/** The zones of all owners, on each of their name servers: what is true, whoever can reach it. */
import type { Challenge } from "../../src/hosting/domains/certificateAuthority.ts";
import { challengeNameOf, challengeValueOf } from "../../src/hosting/domains/dnsValidation.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import type { VirtualTime } from "./virtualTime.ts";

export interface NameData {
  readonly cname?: string | undefined;
  readonly a?: readonly string[] | undefined;
  readonly aaaa?: readonly string[] | undefined;
  readonly txt?: readonly string[] | undefined;
  readonly caa?: readonly { tag: string; value: string; critical: boolean }[] | undefined;
}

export interface ZoneServer {
  readonly name: string;
  readonly address: string;
  readonly names: Map<string, NameData>;
  /** How much later than the others it takes changes over. */
  lagMs: number;
  downUntilMs: number;
  lame: boolean;
}

export interface Zone {
  readonly name: string;
  readonly servers: readonly ZoneServer[];
  readonly ttlSeconds: number;
  wildcard: NameData | undefined;
  downUntilMs: number;
  downBy: "servfail" | "timeout";
}

export const sitesHost = "sites.platform.example";
export const isTarget = (name: string) => name.endsWith(`.${sitesHost}`);
export const targetAddresses = { a: ["192.0.2.10", "192.0.2.11"], aaaa: ["2001:db8::10"] };
export const ourAddresses = [...targetAddresses.a, ...targetAddresses.aaaa];

const minute = 60_000;

export class Zones {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #zones = new Map<string, Zone>();
  readonly #byAddress = new Map<string, { zone: Zone; server: ZoneServer }>();
  /** Since when every name server has pointed a host to a target. */
  readonly #rightSinceMs = new Map<string, number>();
  /** Since when no CAA record anywhere above or at the host stands in the way. */
  readonly #permittedSinceMs = new Map<string, number>();
  /** The hosts of each zone, and the targets that somebody may want each to point to. */
  readonly #hosts = new Map<string, Map<string, Set<string>>>();
  changes = 0;

  constructor(time: VirtualTime, random: SeededRandom) {
    this.#time = time;
    this.#random = random;
  }

  add(name: string): Zone {
    const number = this.#zones.size + 1;
    const count = this.#random.oneOf([2, 2, 2, 3]);
    const servers = Array.from({ length: count }, (_, index) => ({
      name: `ns${index + 1}.${name}`,
      address: `198.51.${number >> 6}.${(number & 63) * 4 + index}`,
      names: new Map<string, NameData>(),
      lagMs: this.#random.happens(0.1) ? this.#random.around(40 * minute) : 0,
      downUntilMs: 0,
      lame: this.#random.happens(0.02) && index > 0,
    }));
    const zone: Zone = {
      name,
      servers,
      ttlSeconds: this.#random.oneOf([60, 300, 300, 3600, 3600]),
      wildcard: undefined,
      downUntilMs: 0,
      downBy: "servfail",
    };
    this.#zones.set(name, zone);
    for (const server of servers) this.#byAddress.set(server.address, { zone, server });
    return zone;
  }

  all(): Zone[] {
    return [...this.#zones.values()];
  }

  /** The zone that holds a name. */
  of(name: string): Zone | undefined {
    for (let at = name; at !== ""; at = at.slice(at.indexOf(".") + 1)) {
      const zone = this.#zones.get(at);
      if (zone !== undefined || !at.includes(".")) return zone;
    }
    return undefined;
  }

  at(address: string): { zone: Zone; server: ZoneServer } | undefined {
    return this.#byAddress.get(address);
  }

  /** Follows a host, so that it is known since when it points to a target. */
  follow(host: string, target: string): void {
    const zone = this.of(host)?.name ?? "";
    const hosts = this.#hosts.get(zone) ?? new Map<string, Set<string>>();
    this.#hosts.set(zone, hosts.set(host, (hosts.get(host) ?? new Set()).add(target)));
    this.#recount(host);
  }

  /** What answers for every name of a zone that has nothing of its own. */
  writeWildcard(zone: Zone, data: NameData): void {
    zone.wildcard = data;
    for (const host of this.#hosts.get(zone.name)?.keys() ?? []) this.#recount(host);
  }

  /** What the owner writes reaches each name server after a while. */
  write(name: string, data: NameData): void {
    const zone = this.of(name);
    if (zone === undefined) throw new Error(`${name} is in no zone.`);
    this.changes += 1;
    for (const server of zone.servers) {
      const delayMs = this.#random.between(0, 2 * minute) + server.lagMs;
      this.#time.after(delayMs, () => {
        server.names.set(name, { ...server.names.get(name), ...data });
        for (const host of this.#hosts.get(zone.name)?.keys() ?? []) this.#recount(host);
      });
    }
  }

  #recount(host: string): void {
    const zone = this.of(host);
    const servers = zone?.servers ?? [];
    for (const target of this.#hosts.get(zone?.name ?? "")?.get(host) ?? []) {
      keepSince(
        this.#rightSinceMs,
        `${host} ${target}`,
        this.#time.now(),
        zone !== undefined && servers.every((server) => isRight(zone, server, host, target)),
      );
    }
    keepSince(
      this.#permittedSinceMs,
      host,
      this.#time.now(),
      servers.every((server) => caaAllows(server, host, zone?.name ?? "")),
    );
  }

  rightSinceMs({ host, target }: { host: string; target: string }): number | undefined {
    return this.#rightSinceMs.get(`${host} ${target}`);
  }

  permittedSinceMs(host: string): number | undefined {
    return this.#permittedSinceMs.get(host);
  }
}

function keepSince(since: Map<string, number>, host: string, nowMs: number, holds: boolean): void {
  if (!holds) since.delete(host);
  else if (!since.has(host)) since.set(host, nowMs);
}

/** What a name server has for a name: its own records, or the wildcard's where it has none. */
export function dataAt(zone: Zone, server: ZoneServer, name: string): NameData | undefined {
  const own = server.names.get(name) ?? {};
  const exists = [own.cname, own.a, own.aaaa, own.txt, own.caa].some((each) => each !== undefined);
  if (exists) return own;
  return name !== zone.name && !name.startsWith("_") ? zone.wildcard : undefined;
}

function isRight(zone: Zone, server: ZoneServer, host: string, target: string): boolean {
  const { cname, a = [], aaaa = [] } = dataAt(zone, server, host) ?? {};
  if (cname !== undefined) return cname === target;
  const addresses = [...a, ...aaaa];
  const apex = host.split(".").length === 2;
  return apex && addresses.length > 0 && addresses.every((each) => ourAddresses.includes(each));
}

export const authorityName = "authority.example";

/** The first name with CAA records decides, from the host up to what was registered. */
export function caaAllows(server: ZoneServer, host: string, zone: string): boolean {
  for (let at = host; ; at = at.slice(at.indexOf(".") + 1)) {
    const { cname, caa: own = [] } = server.names.get(at) ?? {};
    // Where CNAMEs lead in a circle, nobody learns what the CAA records are.
    if (cname?.startsWith("round.")) return false;
    // A name with a CNAME has no CAA of its own, and nothing stands where ours leads.
    const caa = cname === undefined ? own : [];
    if (caa.length > 0)
      return caa.some(({ tag, value }) => tag === "issue" && value === authorityName);
    if (at === zone) return true;
  }
}

/** Whether a visitor who asks this server comes to us. */
export function reachesUs(zone: Zone, server: ZoneServer, host: string): boolean {
  let data = dataAt(zone, server, host);
  for (let link = 0; link < 8 && data?.cname !== undefined; link++) {
    if (isTarget(data.cname)) return true;
    data = dataAt(zone, server, data.cname);
  }
  return [...(data?.a ?? []), ...(data?.aaaa ?? [])].some((each) => ourAddresses.includes(each));
}

/** Whether this server has the response to a challenge by DNS. */
export function isAnswered(server: ZoneServer, { host, keyAuthorization }: Challenge): boolean {
  const { txt = [] } = server.names.get(challengeNameOf(host)) ?? {};
  return txt.includes(challengeValueOf(keyAuthorization));
}
