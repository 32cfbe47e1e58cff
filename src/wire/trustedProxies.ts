/** The proxies that are trusted to report the origin of a request, by their networks. */
import { BlockList, isIP } from "node:net";
import { hostOf } from "./requestHead.ts";

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
  // An IPv4 address is compared as such, even if a socket reports it as IPv4-mapped.
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

/**
 * The client of a request and the URL it used, behind proxies: from `Forwarded` (RFC 7239), and from
 * `X-Forwarded-For`, `-Proto` and `-Host`, which are older and more common. Each proxy appends what
 * it saw, so the headers are read from the end, as long as a trusted proxy wrote them. Anything
 * before that may be forged.
 */
export interface RequestOrigin {
  /** The address of the client; undefined if its connection is already closed. */
  readonly client: string | undefined;
  readonly scheme: "http" | "https";
  /** Host and port in lower case. */
  readonly authority: string;
}

/** What one proxy reports of the request that it received. */
type Hop = { readonly [Field in keyof RequestOrigin]: RequestOrigin[Field] | undefined };

type Header = (name: string) => string | undefined;

const originHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"];

/** Whether the origin of a request depends on who sent it. */
export function namesOrigin(header: Header): boolean {
  return originHeaders.some((name) => header(name) !== undefined);
}

/** `direct` is the origin according to the connection and the request itself. */
export function requestOrigin(
  direct: RequestOrigin,
  header: Header,
  proxies: TrustedProxies,
): RequestOrigin {
  if (!namesOrigin(header)) return direct;
  const standard = header("forwarded");
  const list = header("x-forwarded-for");
  const { client } = direct;
  if (client === undefined || !proxies.trusts(client)) return direct;
  const older = follow(olderHops(list, header), direct, proxies);
  if (standard === undefined) return older;
  const hops = forwardedHops(standard);
  // A proxy that writes one of them forwards the other as the client sent it. Which one it wrote is
  // unknown, so if they disagree, both are ignored.
  const named = follow(hops, direct, proxies).client;
  if (list !== undefined && named !== older.client) return direct;
  return follow(hops, older, proxies);
}

/** From the nearest hop outwards, up to the first that is not a trusted proxy. */
function follow(hops: readonly Hop[], from: RequestOrigin, proxies: TrustedProxies): RequestOrigin {
  let origin = from;
  for (const { client, scheme, authority } of hops) {
    origin = {
      client: client ?? origin.client,
      scheme: scheme ?? origin.scheme,
      authority: authority ?? origin.authority,
    };
    if (client === undefined || !proxies.trusts(client)) break;
  }
  return origin;
}

/** The nearest first. A list that is shorter than the others is from the nearest proxies. */
function olderHops(list: string | undefined, header: Header): Hop[] {
  const clients = entriesOf(list);
  const schemes = entriesOf(header("x-forwarded-proto"));
  const authorities = entriesOf(header("x-forwarded-host"));
  const length = Math.max(clients.length, schemes.length, authorities.length);
  return Array.from({ length }, (_, at) => hopOf(clients[at], schemes[at], authorities[at]));
}

function entriesOf(value: string | undefined): string[] {
  return value === undefined ? [] : value.split(",").reverse();
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const pairForm = new RegExp(
  `[\\t ]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[\\t ]*([;,]|$)`,
  "y",
);

/** The nearest first; none if the header is malformed. */
function forwardedHops(value: string): Hop[] {
  const hops: Hop[] = [];
  let pairs = new Map<string, string>();
  pairForm.lastIndex = 0;
  while (true) {
    const found = pairForm.exec(value);
    if (found === null) return [];
    const [, name, plain, quoted, end] = found;
    if (name !== undefined) {
      pairs.set(name.toLowerCase(), plain ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
    }
    if (end === ";") continue;
    hops.unshift(hopOf(pairs.get("for"), pairs.get("proto"), pairs.get("host")));
    if (end === "") return hops;
    pairs = new Map();
  }
}

function hopOf(node = "", scheme = "", authority = ""): Hop {
  const protocol = scheme.trim().toLowerCase();
  const host = authority.trim().toLowerCase();
  return {
    client: addressIn(node.trim()),
    scheme: protocol === "http" || protocol === "https" ? protocol : undefined,
    authority: host !== "" && hostOf(host) !== undefined ? host : undefined,
  };
}

/** Without its port (RFC 7239, section 6); undefined for `unknown` and for names. */
function addressIn(node: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([0-9.]+))(?::[\w.-]+)?$/.exec(node) ?? [];
  return plainAddress(bracketed ?? dotted ?? node);
}
