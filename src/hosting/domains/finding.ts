/** What the owner of a domain is told: a code, the values seen, and the next step. */
import { isApex, registrableOf } from "./hostName.ts";

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

const recordTtlSeconds = 3600;

/** A record that an owner is asked to create. The same functions name it and look for it. */
export interface RecordToCreate {
  readonly type: "CNAME" | "ALIAS" | "TXT";
  /** As providers ask for it, relative to the registered domain: docs, or @ for the apex. */
  readonly name: string;
  /** The whole name, for providers that ask for that. */
  readonly fullName: string;
  readonly value: string;
  readonly ttlSeconds: number;
  readonly note?: string;
}

export function recordFor(host: string, target: string): RecordToCreate {
  const pointing = { fullName: host, value: target, ttlSeconds: recordTtlSeconds };
  if (!isApex(host)) return { type: "CNAME", name: relative(host), ...pointing };
  return {
    type: "ALIAS",
    name: "@",
    ...pointing,
    note: "Some providers call it ANAME, or flatten a CNAME at the apex. If yours has none of them, attach a subdomain such as www instead.",
  };
}

export function proofFor(host: string, token: string): RecordToCreate {
  const fullName = `_petstore-proof.${host}`;
  return {
    type: "TXT",
    name: relative(fullName),
    fullName,
    value: `petstore-proof=${token}`,
    ttlSeconds: recordTtlSeconds,
  };
}

function relative(name: string): string {
  const registrable = registrableOf(name);
  return registrable === undefined ? name : name.slice(0, -registrable.length - 1);
}
