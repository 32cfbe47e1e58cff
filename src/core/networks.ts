/** Networks of IP addresses, and which addresses are public. */
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** From networks such as `10.0.0.0/8`. */
export function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of networks) {
    const [network = "", bits = ""] = each.split("/");
    list.addSubnet(network, Number(bits), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

/**
 * Addresses that no public server has, from the IANA special-purpose registries (RFC 6890).
 * Calling one would let the owner of a name send requests into our own network.
 */
const notPublic = blockListOf([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "2001::/23",
  "2001:db8::/32",
  // A 6to4 address contains an IPv4 address, which may be private.
  "2002::/16",
  "3fff::/20",
]);

/** All assigned global unicast addresses. Others are special or unassigned. */
const globalUnicast = blockListOf(["2000::/3"]);

/** The canonical spelling of an address; undefined for anything else. */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes("%")) return undefined;
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** Whether it may be called for a name that we do not control. Takes the canonical spelling. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv4(address)) return !notPublic.check(address, "ipv4");
  // This also excludes IPv4-mapped, IPv4-compatible and IPv4-translated addresses.
  return globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}
