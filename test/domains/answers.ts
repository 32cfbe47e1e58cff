/** Answers of name servers, and what was seen of a host, made by hand. */
import type { Observation, ServerView, View } from "../../src/hosting/domains/observation.ts";
import type {
  Absent,
  DnsRecord,
  Found,
  NameServer,
  NameServers,
  Unreachable,
} from "../../src/hosting/domains/resolver.ts";

export const host = "docs.example.com";
export const apexHost = "example.com";
export const target = "sites.petstore.example";
export const ours = { a: "192.0.2.10", otherA: "192.0.2.11", aaaa: "2001:db8::10" };

export const ns1: NameServer = { name: "ns1.example.net", address: "198.51.100.1" };
export const ns2: NameServer = { name: "ns2.example.net", address: "198.51.100.2" };
export const ns1Words = "ns1.example.net (198.51.100.1)";
export const ns2Words = "ns2.example.net (198.51.100.2)";

export const zoneOf = (zone: string, servers: readonly NameServer[] = [ns1, ns2]): NameServers => ({
  kind: "found",
  zone,
  servers,
});

export function record(
  name: string,
  type: DnsRecord["type"],
  value: string,
  ttlSeconds = 3600,
): DnsRecord {
  return { name, type, value, ttlSeconds };
}

export const found = (...records: DnsRecord[]): Found => ({ kind: "found", records });
export const nxdomain = (rememberedSeconds?: number, ...records: DnsRecord[]): Absent => ({
  kind: "absent",
  reason: "nxdomain",
  records,
  rememberedSeconds,
});
export const nodata = (rememberedSeconds?: number, ...records: DnsRecord[]): Absent => ({
  kind: "absent",
  reason: "nodata",
  records,
  rememberedSeconds,
});
export const unreachable = (
  reason: Unreachable["reason"] = "servfail",
  detail = `it said ${reason}`,
): Unreachable => ({ kind: "unreachable", reason, detail });

/** A view of a name that has only a CNAME. */
export const pointing = (to: string, name = host, ttlSeconds = 3600): View => ({
  cname: found(record(name, "CNAME", to, ttlSeconds)),
  a: undefined,
  aaaa: undefined,
});

/** A view of a name that has only addresses. */
export function addressed(addresses: readonly string[], name = host, ttlSeconds = 300): View {
  const answer = (type: "A" | "AAAA", values: readonly string[]) =>
    values.length === 0
      ? nodata(60)
      : found(...values.map((value) => record(name, type, value, ttlSeconds)));
  return {
    cname: nodata(60),
    a: answer(
      "A",
      addresses.filter((each) => !each.includes(":")),
    ),
    aaaa: answer(
      "AAAA",
      addresses.filter((each) => each.includes(":")),
    ),
  };
}

export const missing = (rememberedSeconds?: number): View => ({
  cname: nxdomain(rememberedSeconds),
  a: nxdomain(rememberedSeconds),
  aaaa: nxdomain(rememberedSeconds),
});

export const silent = (reason: Unreachable["reason"] = "servfail"): View => ({
  cname: unreachable(reason),
  a: undefined,
  aaaa: undefined,
});

export const servers = (...views: readonly View[]): ServerView[] =>
  views.map((view, index) => ({ server: index === 0 ? ns1 : ns2, ...view }));

export const targetAddresses: Observation["target"] = {
  a: found(record(target, "A", ours.a), record(target, "A", ours.otherA)),
  aaaa: found(record(target, "AAAA", ours.aaaa)),
};

/** Right in every respect unless changed. */
export function observed(changes: Partial<Observation> = {}): Observation {
  const { nameServers } = changes;
  return {
    host,
    nameServers: zoneOf("example.com"),
    zone: nameServers?.kind === "found" ? nameServers.zone : "example.com",
    authorities: servers(pointing(target), pointing(target)),
    recursor: pointing(target),
    chain: [],
    target: undefined,
    sibling: undefined,
    proofs: [],
    ...changes,
  };
}

/** Both name servers and the recursor say the same. */
export const agreed = (view: View, changes: Partial<Observation> = {}): Observation =>
  observed({ authorities: servers(view, view), recursor: view, ...changes });

/** Right in every respect unless changed. */
export function observedApex(view: View, changes: Partial<Observation> = {}): Observation {
  return agreed(view, { host: apexHost, target: targetAddresses, ...changes });
}
