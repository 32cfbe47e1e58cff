/** Answers questions about the zones as the network does: late, from caches, or not at all. */
import type {
  DnsAnswer,
  DnsRecord,
  NameServer,
  NameServers,
  RecordType,
  Resolver,
  Unreachable,
} from "../../src/hosting/domains/resolver.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import type { Sightings } from "./sightings.ts";
import type { Tally } from "./tally.ts";
import type { VirtualTime } from "./virtualTime.ts";
import {
  dataAt,
  isTarget,
  targetAddresses,
  type Zone,
  type ZoneServer,
  type Zones,
} from "./zones.ts";

const negativeTtlSeconds = 300;

export class SimulatedDns {
  readonly #zones: Zones;
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #tally: Tally;
  readonly #cache = new Map<string, { answer: DnsAnswer; atMs: number; untilMs: number }>();
  #recursorDownUntilMs = 0;
  /** Without any faults, except those that are in the zones. */
  calm = false;

  constructor(zones: Zones, time: VirtualTime, random: SeededRandom, tally: Tally) {
    this.#zones = zones;
    this.#time = time;
    this.#random = random;
    this.#tally = tally;
  }

  resolver(sightings: Sightings): Resolver {
    return {
      lookUp: async (name, type) => {
        const answer = await this.#lookUp(name, type);
        if (type === "CNAME" || type === "A" || type === "AAAA") sightings.lookedUp(name, answer);
        return answer;
      },
      nameServers: async (name) => {
        sightings.begin(name);
        return this.#nameServers(name);
      },
      ask: async (server, name, type) => {
        const answer = await this.#ask(server, name, type);
        sightings.asked(server.address, name, type, answer);
        return answer;
      },
    };
  }

  recursorDown(untilMs: number): void {
    this.#recursorDownUntilMs = untilMs;
  }

  async #nameServers(name: string): Promise<NameServers> {
    const fault = await this.#weather();
    if (fault !== undefined) return fault;
    const zone = this.#zones.of(name);
    if (zone === undefined) {
      if (!name.includes(".")) return { kind: "found", zone: name, servers: [topServer] };
      return { kind: "absent", reason: "nxdomain", records: [], rememberedSeconds: 900 };
    }
    const servers = zone.servers.map(({ name: server, address }) => ({ name: server, address }));
    return { kind: "found", zone: zone.name, servers };
  }

  async #ask(server: NameServer, name: string, type: RecordType): Promise<DnsAnswer> {
    if (server.address === topServer.address) return absent("nodata", [], 900);
    const found = this.#zones.at(server.address);
    if (found === undefined) return unreachable("timeout", `${server.address} is not there`);
    const fault = (await this.#weather()) ?? (await this.outageOf(found.zone, found.server));
    return fault ?? answerFrom(found.zone, found.server, name, type);
  }

  /** Whether a name server cannot answer now, and how that shows. */
  async outageOf(zone: Zone, server: ZoneServer): Promise<Unreachable | undefined> {
    if (server.lame) return unreachable("lame", `${server.name} does not know ${zone.name}`);
    const nowMs = this.#time.now();
    if (nowMs >= zone.downUntilMs && nowMs >= server.downUntilMs) return undefined;
    if (zone.downBy === "servfail") return unreachable("servfail", `${server.name} failed`);
    await this.#time.pass(3_000);
    return unreachable("timeout", `${server.name} did not answer`);
  }

  async #weather(): Promise<Unreachable | undefined> {
    if (this.calm) return undefined;
    if (this.#random.happens(0.03)) await this.#time.pass(this.#random.between(50, 900));
    if (!this.#random.happens(0.006)) return undefined;
    if (this.#random.happens(0.5)) {
      this.#tally.count("fault: dns servfail");
      return unreachable("servfail", "the answer was a failure");
    }
    this.#tally.count("fault: dns timeout");
    await this.#time.pass(this.#random.between(2_000, 6_000));
    return unreachable("timeout", "no answer came");
  }

  async #lookUp(name: string, type: RecordType): Promise<DnsAnswer> {
    if (isTarget(name)) return targetAnswer(name, type);
    const fault = await this.#weather();
    if (fault !== undefined) return fault;
    const nowMs = this.#time.now();
    if (nowMs < this.#recursorDownUntilMs) return unreachable("servfail", "the recursor failed");
    const key = `${name} ${type}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && nowMs < cached.untilMs) {
      this.#tally.count("answers from caches");
      return aged(cached.answer, Math.floor((nowMs - cached.atMs) / 1000));
    }
    const zone = this.#zones.of(name);
    if (zone === undefined) return absent("nxdomain", [], 900);
    let answer: DnsAnswer = unreachable("servfail", "no name server answered");
    for (const server of zone.servers) {
      answer = (await this.outageOf(zone, server)) ?? answerFrom(zone, server, name, type);
      if (answer.kind !== "unreachable") break;
    }
    if (answer.kind === "unreachable") return unreachable("servfail", answer.detail);
    const atMs = this.#time.now();
    this.#cache.set(key, { answer, atMs, untilMs: atMs + secondsOf(answer) * 1000 });
    return answer;
  }
}

const topServer: NameServer = { name: "a.top.example", address: "198.41.0.4" };

function answerFrom(zone: Zone, server: ZoneServer, name: string, type: RecordType): DnsAnswer {
  const data = dataAt(zone, server, name);
  if (data === undefined) {
    const below = ["_petstore-proof", "_acme-challenge"].some(
      (label) => server.names.get(`${label}.${name}`)?.txt !== undefined,
    );
    return absent(below || name === zone.name ? "nodata" : "nxdomain", [], negativeTtlSeconds);
  }
  const ttlSeconds = zone.ttlSeconds;
  const record = (recordType: RecordType, value: string): DnsRecord => ({
    name,
    type: recordType,
    ttlSeconds,
    value,
  });
  if (data.cname !== undefined) {
    const alias = record("CNAME", data.cname);
    return type === "CNAME"
      ? { kind: "found", records: [alias] }
      : absent("nodata", [alias], negativeTtlSeconds);
  }
  const records =
    type === "A"
      ? (data.a ?? []).map((value) => record("A", value))
      : type === "AAAA"
        ? (data.aaaa ?? []).map((value) => record("AAAA", value))
        : type === "TXT"
          ? (data.txt ?? []).map((value) => record("TXT", value))
          : type === "CAA"
            ? (data.caa ?? []).map(({ tag, value, critical }) => ({
                ...record("CAA", value),
                caa: { tag, critical },
              }))
            : [];
  return records.length > 0 ? { kind: "found", records } : absent("nodata", [], negativeTtlSeconds);
}

function targetAnswer(name: string, type: RecordType): DnsAnswer {
  const values = type === "A" ? targetAddresses.a : type === "AAAA" ? targetAddresses.aaaa : [];
  if (values.length === 0) return absent("nodata", [], 300);
  return {
    kind: "found",
    records: values.map((value) => ({ name, type, ttlSeconds: 300, value })),
  };
}

function absent(
  reason: "nxdomain" | "nodata",
  records: readonly DnsRecord[],
  rememberedSeconds: number,
): DnsAnswer {
  return { kind: "absent", reason, records, rememberedSeconds };
}

function unreachable(reason: Unreachable["reason"], detail: string): Unreachable {
  return { kind: "unreachable", reason, detail };
}

function secondsOf(answer: DnsAnswer): number {
  if (answer.kind === "found") return answer.records[0]?.ttlSeconds ?? 0;
  return answer.kind === "absent" ? (answer.rememberedSeconds ?? 0) : 0;
}

/** As a cache tells it after a while. */
function aged(answer: DnsAnswer, seconds: number): DnsAnswer {
  if (answer.kind === "unreachable") return answer;
  const records = answer.records.map((each) => ({
    ...each,
    ttlSeconds: Math.max(0, each.ttlSeconds - seconds),
  }));
  if (answer.kind === "found") return { ...answer, records };
  return {
    ...answer,
    records,
    rememberedSeconds: Math.max(0, (answer.rememberedSeconds ?? 0) - seconds),
  };
}
