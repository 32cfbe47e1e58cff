/** The interface to DNS. Names are lower-case ASCII without a final dot. */

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

/** At least one record of the requested type. */
export interface Found {
  readonly kind: "found";
  /** The chain of CNAMEs, in order, then the records themselves. */
  readonly records: readonly DnsRecord[];
}

/** An authoritative negative answer. */
export interface Absent {
  readonly kind: "absent";
  /** `nxdomain`: there is no such name. `nodata`: the name has no record of this type. */
  readonly reason: "nxdomain" | "nodata";
  /** The chain of CNAMEs to the name that does not exist or has no such record. */
  readonly records: readonly DnsRecord[];
  /** The TTL of the negative answer (RFC 2308); undefined if it included no SOA. */
  readonly rememberedSeconds: number | undefined;
}

/** There was no usable response. It never counts as an answer. */
export interface Unreachable {
  readonly kind: "unreachable";
  readonly reason:
    | "timeout"
    | "servfail"
    /** A recursor has an answer, whose signatures (DNSSEC) do not verify. */
    | "bogus"
    /** The server is not authoritative for this zone. */
    | "lame"
    | "malformed"
    /** The address is private, and only public name servers are queried. */
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
 * No method throws for errors of the network or a server, each ends within a bounded time, and all
 * may be called concurrently.
 */
export interface Resolver {
  /** Through a recursor, as the public resolves it. Cached answers have smaller TTLs. */
  lookUp(name: string, type: RecordType): Promise<DnsAnswer>;
  /**
   * The name servers of the zone of the name itself, whether or not the name exists. A CNAME at the
   * name is not followed: its target may be in another zone.
   */
  nameServers(name: string): Promise<NameServers>;
  /** Queries one name server, without recursion. An answer without authority is `lame`. */
  ask(server: NameServer, name: string, type: RecordType): Promise<DnsAnswer>;
}
