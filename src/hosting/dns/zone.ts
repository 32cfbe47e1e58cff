/** Finds who speaks for a name, by asking a recursor upwards from it. */
import {
  type Absent,
  type DnsRecord,
  type NameServer,
  type RecordType,
  type Unreachable,
  unreachable,
} from "../domains/resolver.ts";
import { isPublicAddress } from "./addresses.ts";
import type { Learnt } from "./answer.ts";
import { isWithin, parentOf } from "./message.ts";

export type Look = (name: string, type: RecordType) => Promise<Learnt>;

const stepsMax = 16;
const serverNamesMax = 8;
const serversMax = 16;

export interface Zone {
  readonly kind: "zone";
  readonly name: string;
  readonly serverNames: readonly string[];
}

/** The zone that holds the name. `isLate` is asked before each step. */
export async function findZone(
  name: string,
  look: Look,
  isLate: () => boolean,
): Promise<Zone | Absent | Unreachable> {
  let at = name;
  for (let step = 0; step < stepsMax && !isLate(); step++) {
    const { answer, zone } = await lookForServers(at, look);
    if (answer.kind === "unreachable") return answer;
    const serverNames = answer.kind === "found" ? serverNamesOf(at, answer.records) : [];
    if (serverNames.length > 0) return { kind: "zone", name: at, serverNames };
    const next = above(at, zone);
    if (next === undefined) {
      if (answer.kind === "absent") return answer;
      return unreachable("lame", `No zone was found for ${name}.`);
    }
    at = next;
  }
  return unreachable("timeout", `The zone of ${name} was not found in time.`);
}

/**
 * A recursor follows a CNAME here, and fails where its target goes round in a circle or has broken
 * servers. That is no reason to lose the zone that holds the CNAME, so it is asked for that alone.
 */
async function lookForServers(name: string, look: Look): Promise<Learnt> {
  const servers = await look(name, "NS");
  if (servers.answer.kind !== "unreachable") return servers;
  const alias = await look(name, "CNAME");
  return alias.answer.kind === "found" ? alias : servers;
}

function serverNamesOf(zone: string, records: readonly DnsRecord[]): string[] {
  // Those of a CNAME's target speak for the target.
  const own = records.filter(({ name, type }) => type === "NS" && name === zone);
  // Recursors shuffle them; whoever reads two answers should see the same servers.
  return [...new Set(own.map(({ value }) => value))].sort().slice(0, serverNamesMax);
}

/** Where to ask next: straight at the zone that said no, or one label higher. */
function above(name: string, zone: string | undefined): string | undefined {
  if (zone === ".") return undefined;
  return zone !== undefined && zone !== name && isWithin(name, zone) ? zone : parentOf(name);
}

/** Where the zone's servers are, in both families. */
export async function findServers(
  zone: Zone,
  look: Look,
  allowPrivateAddresses: boolean,
): Promise<readonly NameServer[] | Unreachable> {
  const looked = await Promise.all(
    zone.serverNames.map(async (name) => {
      const both = await Promise.all([look(name, "A"), look(name, "AAAA")]);
      return { name, answers: both.map(({ answer }) => answer) };
    }),
  );
  const addressesByName = looked.map(({ name, answers }) => ({
    name,
    addresses: answers
      .flatMap((answer) => (answer.kind === "found" ? answer.records : []))
      .filter(({ type }) => type === "A" || type === "AAAA")
      .map(({ value }) => value),
  }));
  const all = inTurns(addressesByName);
  const allowed = all.filter(({ address }) => allowPrivateAddresses || isPublicAddress(address));
  if (allowed.length > 0) return allowed.slice(0, serversMax);
  const failed = looked
    .flatMap(({ answers }) => answers)
    .find((answer) => answer.kind === "unreachable");
  if (all.length > 0) {
    return unreachable("forbidden_address", `${zone.name} has only private name servers.`);
  }
  const detail = `No name server of ${zone.name} has an address.`;
  return failed ?? unreachable("lame", detail);
}

/** The first address of each name, then the second, so that one name cannot crowd out the others. */
function inTurns(
  byName: readonly { readonly name: string; readonly addresses: readonly string[] }[],
): NameServer[] {
  const rounds = Math.max(0, ...byName.map(({ addresses }) => addresses.length));
  const servers = new Map<string, NameServer>();
  for (let round = 0; round < rounds; round++) {
    for (const { name, addresses } of byName) {
      const address = addresses[round];
      if (address !== undefined && !servers.has(address)) servers.set(address, { name, address });
    }
  }
  return [...servers.values()];
}
