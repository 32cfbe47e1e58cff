/** What differs between DNS providers when a record is created there. */
import type { DomainDetails, RecordToCreate } from "../../../contract/generated/platform.ts";

interface Provider {
  readonly name: string;
  /** Suffixes of its name servers. */
  readonly servers: readonly string[];
  readonly hint: string;
  /** How it supports an apex; undefined if it cannot point one to us. */
  readonly apex: string | undefined;
}

const addsZone = "Leave the domain itself out of the name: it is added for you.";
const endWithDot = "End the value with a dot, or the domain is added to it.";
const alias = "Choose the type ALIAS and leave the name at @.";

const known = {
  cloudflare: {
    name: "Cloudflare",
    servers: ["ns.cloudflare.com"],
    hint: `Set the proxy status to DNS only (the grey cloud). ${addsZone}`,
    apex: "Choose the type CNAME with the name @: it is flattened. Set the proxy status to DNS only.",
  },
  route53: {
    name: "Amazon Route 53",
    servers: ["awsdns"],
    hint: `Use a simple record, not an alias. ${addsZone}`,
    apex: undefined,
  },
  azure: {
    name: "Azure DNS",
    servers: ["azure-dns.com", "azure-dns.net", "azure-dns.org", "azure-dns.info"],
    hint: "Add a record set of type CNAME, without an alias record set.",
    apex: undefined,
  },
  godaddy: {
    name: "GoDaddy",
    servers: ["domaincontrol.com"],
    hint: addsZone,
    apex: undefined,
  },
  namecheap: {
    name: "Namecheap",
    servers: ["registrar-servers.com"],
    hint: `The name is called Host, and is under Advanced DNS. ${addsZone}`,
    apex: alias,
  },
  gandi: { name: "Gandi", servers: ["gandi.net"], hint: endWithDot, apex: alias },
  ovh: { name: "OVHcloud", servers: ["ovh.net", "anycast.me"], hint: endWithDot, apex: undefined },
  hetzner: {
    name: "Hetzner",
    servers: ["hetzner.com", "hetzner.de", "second-ns.com", "second-ns.de"],
    hint: endWithDot,
    apex: undefined,
  },
  digitalocean: {
    name: "DigitalOcean",
    servers: ["digitalocean.com"],
    hint: `The value is called Is an alias of. ${addsZone}`,
    apex: undefined,
  },
  dnsimple: { name: "DNSimple", servers: ["dnsimple.com"], hint: addsZone, apex: alias },
} as const satisfies Readonly<Record<string, Provider>>;

export type ProviderId = keyof typeof known | "zone" | "other";

export const providerNames: Readonly<Record<ProviderId, string>> = {
  other: "Another provider",
  ...(Object.fromEntries(Object.entries(known).map(([id, { name }]) => [id, name])) as Record<
    keyof typeof known,
    string
  >),
  zone: "My own name server",
};

/** The known provider whose name servers responded for the domain. */
export function providerSeen(details: DomainDetails | undefined): ProviderId | undefined {
  const answered = details?.timeline.flatMap(({ answers }) => answers).join("\n") ?? "";
  return (Object.keys(known) as (keyof typeof known)[]).find((id) =>
    known[id].servers.some((end) => answered.includes(end)),
  );
}

export function hintFor(id: ProviderId, record: RecordToCreate): string {
  if (id === "zone") return "Add this line to the zone, and raise the serial of its SOA record:";
  if (id === "other") {
    return "Most providers add the domain to the name by themselves. If yours does not, use the whole name:";
  }
  const provider: Provider = known[id];
  if (record.type !== "ALIAS") return provider.hint;
  return (
    provider.apex ??
    `${provider.name} has nothing for an apex that could lead here. Attach a subdomain such as www instead, and let the apex redirect to it.`
  );
}

/** What to copy beside the hint, if anything. */
export function lineFor(id: ProviderId, record: RecordToCreate): string | undefined {
  if (id === "other") return record.fullName;
  if (id !== "zone") return undefined;
  const value = record.type === "TXT" ? `"${record.value}"` : `${record.value}.`;
  return `${record.fullName}. ${record.ttlSeconds} IN ${record.type} ${value}`;
}
