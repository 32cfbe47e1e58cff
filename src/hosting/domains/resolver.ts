/** What we ask of DNS, and what we may learn. Names are lower-case ASCII without a final dot. */

export type RecordType = "A" | "AAAA" | "CNAME" | "NS" | "SOA" | "TXT" | "CAA";

export interface DnsRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly ttlSeconds: number;
  /** An address, a host name, the joined strings of a TXT, or the value of a CAA. */
  readonly value: string;
  /** Only for a CAA (RFC 8659, section 4.1). The tag is in lower case. */
  readonly caa?: { readonly critical: boolean; readonly tag: string };
}

/** At least one record of the type asked for. */
export interface Found {
  readonly kind: "found";
  /** The CNAMEs that led there, in their order, then the records themselves. */
  readonly records: readonly DnsRecord[];
}

/** A definite no, from a server that must know. */
export interface Absent {
  readonly kind: "absent";
  /** `nxdomain`: there is no such name. `nodata`: the name has no record of this type. */
  readonly reason: "nxdomain" | "nodata";
  /** The CNAMEs that led to the name that is missing or has no such record. */
  readonly records: readonly DnsRecord[];
  /** How long resolvers may remember the no (RFC 2308); undefined where no SOA came with it. */
  readonly rememberedSeconds: number | undefined;
}

/** Nothing was learnt. It never counts as an answer. */
export interface Unreachable {
  readonly kind: "unreachable";
  readonly reason:
    | "timeout"
    | "servfail"
    /** The server does not speak for this zone. */
    | "lame"
    | "malformed"
    /** The address is private, and we ask only public name servers. */
    | "forbidden_address";
  readonly detail: string;
}

const detailCharactersMax = 500;

export function unreachable(reason: Unreachable["reason"], detail: string): Unreachable {
  return { kind: "unreachable", reason, detail: detail.slice(0, detailCharactersMax) };
}

export type DnsAnswer = Found | Absent | Unreachable;

export interface NameServer {
  readonly name: string;
  readonly address: string;
}

export type NameServers =
  | {
      readonly kind: "found";
      readonly zone: string;
      /** One for each address, at most 16. */
      readonly servers: readonly NameServer[];
    }
  | Absent
  | Unreachable;

/**
 * Asks over the wire. No method throws for what the network or a server does, each one ends within
 * a bounded time, and all may be called concurrently.
 */
export interface Resolver {
  /** What the public sees, through a recursor. Cached answers have smaller TTLs. */
  lookUp(name: string, type: RecordType): Promise<DnsAnswer>;
  /**
   * The name servers of the zone that holds the name itself, whether or not the name exists.
   * A CNAME at the name is not followed: its target may lie in another zone.
   */
  nameServers(name: string): Promise<NameServers>;
  /** One name server's own word, without recursion. An answer without authority is `lame`. */
  ask(server: NameServer, name: string, type: RecordType): Promise<DnsAnswer>;
}
