/** Zones in master-file form, as both name servers read them. */

export interface ZoneContent {
  /**
   * Master-file lines with names relative to the zone, such as `www CNAME sites.platform.test.`
   * The SOA and NS records are made from the rest.
   */
  readonly records?: string;
  /** Which names the zone's NS records have below the zone, and their addresses. */
  readonly nameServers?: Record<string, string>;
  readonly ttl?: number;
  /** The SOA's minimum: for how many seconds a resolver may remember that a name is not there. */
  readonly minimum?: number;
}

const ttlDefault = 60;

export const bareName = (zone: string) => zone.toLowerCase().replace(/(?<=.)\.$/, "");

export function zoneText(zone: string, serial: number, content: ZoneContent): string {
  const { records = "", nameServers = {}, ttl = ttlDefault, minimum = ttlDefault } = content;
  const origin = zone === "." ? "." : `${bareName(zone)}.`;
  const [first = "ns1"] = Object.keys(nameServers);
  return [
    `$ORIGIN ${origin}`,
    `$TTL ${ttl}`,
    `@ IN SOA ${first} hostmaster ${serial} 3600 600 86400 ${minimum}`,
    ...Object.entries(nameServers).flatMap(([label, address]) => [
      `@ IN NS ${label}`,
      `${label} IN ${address.includes(":") ? "AAAA" : "A"} ${address}`,
    ]),
    // A line that began with a blank would belong to the name above it.
    ...records.split("\n").map((line) => line.trim()),
    "",
  ].join("\n");
}
