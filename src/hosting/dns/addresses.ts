import { readFileSync } from "node:fs";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { blockListOf } from "../domains/observation.ts";
import type { Recursor } from "./resolver.ts";

/**
 * Addresses that no public name server has, from the IANA special-purpose registries (RFC 6890).
 * Querying one would let the owner of a zone send packets into our own network.
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

/** Whether it may be queried for a zone that we do not control. Takes the canonical spelling. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv4(address)) return !notPublic.check(address, "ipv4");
  // This also excludes IPv4-mapped, IPv4-compatible and IPv4-translated addresses.
  return globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

const dnsPort = 53;
/** As many as the system's own resolver uses (resolv.conf(5)). */
const recursorsMax = 3;

/** The recursors that this machine is configured with. */
export function recursorsOfSystem(path = "/etc/resolv.conf"): Recursor[] {
  return textOf(path)
    .split("\n")
    .map((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? "")
    .filter((address) => isIP(address) !== 0)
    .slice(0, recursorsMax)
    .map((address) => ({ address, port: dnsPort }));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
