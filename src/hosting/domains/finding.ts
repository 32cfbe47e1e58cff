/** What the owner of a domain is told: a code, the values seen, and the next step. */

export const findingCodes = [
  "NXDOMAIN",
  "NO_CNAME",
  "CNAME_MISMATCH",
  "CNAME_SUFFIXED",
  "CNAME_CHAINED",
  "CNAME_LOOP",
  "CONFLICTING_A",
  "CONFLICTING_AAAA",
  "APEX_NEEDS_ALIAS",
  "ALIAS_STALE",
  "NS_DISAGREE",
  "STALE_CACHE",
  "LAME_NS",
  "SERVFAIL",
  "WILDCARD_MATCH",
  "PROXIED",
  "PROOF_MISSING",
  "PROVEN_ELSEWHERE",
  "TARGET_UNKNOWN",
  "CAA_BLOCKS",
  "CAA_LOOKUP_FAILED",
  "HTTP_UNREACHABLE",
  "RATE_LIMITED",
  "CA_REFUSED",
  "CA_UNAVAILABLE",
  "AUTHORIZATION_FAILED",
  "PROPAGATION_OVERDUE",
  "CERTIFICATE_OVERDUE",
  "SUSPENDED",
  "DANGLING",
] as const;
export type FindingCode = (typeof findingCodes)[number];

export interface Finding {
  readonly code: FindingCode;
  /** What happened and why, in a sentence or two. */
  readonly message: string;
  /** What the owner can do; undefined where nothing but waiting helps. */
  readonly next?: string;
  /** The records or values seen, as they would stand in a zone file. */
  readonly found?: readonly string[];
  readonly expected?: readonly string[];
  /** The name servers that said so. */
  readonly at?: readonly string[];
  /** How long caches may go on to say what they say, counted from when this was found. */
  readonly seconds?: number;
  /** Until when nothing will be tried. */
  readonly untilMs?: number;
}
