/** The proxies whose word on the origin of a request counts, by the networks they are in. */
import { BlockList, isIP } from "node:net";

export interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

export const loopbackNetworks: readonly Network[] = [
  { address: "127.0.0.0", prefix: 8, family: "ipv4" },
  { address: "::1", prefix: 128, family: "ipv6" },
];

/** An address, or a network such as `10.0.0.0/8`; undefined when it is neither. */
export function networkIn(text: string): Network | undefined {
  const [, address = "", written] = /^([0-9a-f.:]+)(?:\/([0-9]{1,3}))?$/i.exec(text) ?? [];
  // An IPv4 address is compared as such, however a socket writes it.
  if (isIP(address) === 0 || plainAddress(address) !== address) return undefined;
  const [family, bits] = isIP(address) === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
  const prefix = written === undefined ? bits : Number(written);
  return prefix <= bits ? { address, prefix, family } : undefined;
}

/**
 * An IP address without its zone, and an IPv4 address as such where it was written as one of IPv6
 * (RFC 4291, section 2.5.5.2); undefined for anything else.
 */
export function plainAddress(text: string): string | undefined {
  if (isIP(text) === 4) return text;
  if (isIP(text) === 0) return undefined;
  const address = text.toLowerCase().replace(/%.*$/, "");
  if (!address.includes("ffff:")) return address;
  const [, high, low] =
    /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return address;
  const halves = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return halves.flatMap((half) => [half >> 8, half & 0xff]).join(".");
}

export class TrustedProxies {
  readonly #networks = new BlockList();
  /** A proxy sends many requests. */
  #last = { address: "", trusted: false };

  constructor(networks: readonly Network[]) {
    for (const { address, prefix, family } of networks) {
      this.#networks.addSubnet(address, prefix, family);
    }
  }

  /** `address` is one that `plainAddress` returned. */
  trusts(address: string): boolean {
    if (address !== this.#last.address) {
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      this.#last = { address, trusted: this.#networks.check(address, family) };
    }
    return this.#last.trusted;
  }
}
