/**
 * Validation by DNS (dns-01, RFC 8555, section 8.4) for names that do not point here: the owner
 * delegates the challenge to us for good by a CNAME, or creates the TXT record of one order.
 */
import { createHash } from "node:crypto";
import { usualValidation, type Validation } from "./certificateAuthority.ts";
import { challengeDueAtMs, type Domain, isPrepared, isProven, isValid } from "./domain.ts";
import { claimsMax, type DomainStore } from "./domains.ts";
import {
  challengeMissing,
  type Finding,
  type RecordToCreate,
  relative,
  silent,
  switchPending,
} from "./finding.ts";
import { likelyZone } from "./hostName.ts";
import { withIssuance } from "./lifecycle.ts";
import { describe, valuesIn } from "./observation.ts";
import { type Resolver, unreachable } from "./resolver.ts";
import type { Verdict } from "./verification.ts";

/** Where the authority looks for the response. */
export const challengeNameOf = (host: string) => `_acme-challenge.${host}`;

export type HowToAttach =
  /** The name points here before it has a certificate. */
  | "directly"
  /** The certificate is issued, by dns-01, before the name points here. */
  | "prepared"
  /** The same, but the name will point to a proxy that its owner has put in front of us. */
  | "proxied";

/**
 * The facts of a new domain. Where we can change DNS below a host, its challenges are delegated to a
 * name of this domain alone, so that only its owner can have created the CNAME.
 */
export function attached(
  how: HowToAttach,
  domainId: string,
  writableBelow: string | undefined,
): Pick<Domain, "validation" | "delegation" | "proxied"> {
  if (how === "directly") return {};
  const proxied = how === "proxied" ? ({ proxied: true } as const) : {};
  const facts = { validation: "dns-01", ...proxied } as const;
  if (writableBelow === undefined) return facts;
  const delegation = `${domainId.replace(/^dom_/, "")}.${challengeNameOf(writableBelow)}`;
  return { ...facts, delegation };
}

export function challengeValueOf(keyAuthorization: string): string {
  return createHash("sha256").update(keyAuthorization).digest("base64url");
}

/**
 * How an order of this domain would be validated now; undefined if it cannot be. For a TXT record,
 * the order comes first, since its value depends on it.
 */
export function validationFor(domain: Domain, nowMs: number): Validation | undefined {
  const { host, validation, delegation, dns, certificate, proxied } = domain;
  if (validation === undefined) return usualValidation(host);
  if (dns.challenge === "delegated") return "dns-01";
  if (!isPrepared(domain) && proxied !== true) return "http-01";
  const { order, refusal } = certificate.issuance ?? {};
  const isPlaced = order?.challenge !== undefined;
  // A proxy passes the requests of the authority on, unless it has turned out that it does not.
  const passed = !isPlaced && refusal?.reason !== "authorization_failed";
  if (!isPrepared(domain) && passed && isValid(certificate.held, nowMs)) return "http-01";
  if (delegation !== undefined) return undefined;
  const isDue = nowMs >= (challengeDueAtMs(domain) ?? 0);
  return isDue || dns.challenge === "found" ? "dns-01" : undefined;
}

/**
 * The order waits for the record that its owner creates. It does not count as an attempt: it is
 * resumed when a check has found the record.
 */
export function challengeAwaited(domain: Domain, challenge: string, nowMs: number): Domain {
  const { issuance } = domain.certificate;
  if (issuance?.order === undefined) return domain;
  // What was found may be the record of the order before.
  const sought = { ...domain.dns, challenge: undefined, nextCheckAtMs: nowMs };
  const dns = isPrepared(domain) ? ({ ...sought, verdict: "unknown" } as const) : sought;
  const isNew = issuance.order.challenge !== challenge;
  const told = challenge === "" ? {} : { lastChallenge: challenge };
  return withIssuance(isNew ? { ...domain, ...told, dns } : domain, {
    ...issuance,
    attempts: Math.max(0, issuance.attempts - 1),
    ordering: false,
    order: { ...issuance.order, challenge, askedAtMs: nowMs, waits: true },
    refusal: undefined,
  });
}

/** What lets the authority validate the name; undefined while the value is not known. */
export function challengeRecordFor(domain: Domain): RecordToCreate | undefined {
  const { host, delegation, certificate } = domain;
  if (domain.validation === undefined) return undefined;
  const value = delegation ?? certificate.issuance?.order?.challenge;
  if (value === undefined || value === "") return undefined;
  const fullName = challengeNameOf(host);
  return {
    type: delegation === undefined ? "TXT" : "CNAME",
    name: relative(fullName, domain.dns.zone ?? likelyZone(host)),
    fullName,
    value,
    ttlSeconds: 300,
    note:
      delegation === undefined
        ? "Delete it once the certificate is there."
        : "Keep it: certificates are renewed by it.",
  };
}

/** What DNS shows of the challenge. */
export interface ChallengeSight {
  /**
   * `found`: the TXT record of this domain's order. `unproven`: nothing that only its owner could
   * have created, since the authority trusts an earlier validation, or another claim has the same.
   */
  readonly kind: "delegated" | "found" | "unproven" | "missing" | "unknown";
  readonly findings: readonly Finding[];
  readonly answers: readonly string[];
}

export async function lookForChallenge(
  domain: Domain,
  { resolver, store }: { resolver: Resolver; store: Pick<DomainStore, "claimsOn"> },
): Promise<ChallengeSight> {
  const { host, delegation, certificate } = domain;
  const value = delegation ?? certificate.issuance?.order?.challenge;
  if (value === undefined) return { kind: "missing", findings: [], answers: [] };
  if (value === "") return { kind: "unproven", findings: [], answers: [] };
  const name = challengeNameOf(host);
  const type = delegation === undefined ? "TXT" : "CNAME";
  const { seen, answers } = await askEach(name, type, resolver);
  const definite = seen.filter((answer) => answer.kind !== "unreachable");
  if (definite.length === 0) {
    const silence = seen.find((answer) => answer.kind === "unreachable");
    const cause = silence ?? unreachable("lame", `${name} has no name server that could be found`);
    return { kind: "unknown", findings: [silent(cause, [])], answers };
  }
  if (!definite.every((answer) => valuesIn(answer, type).includes(value))) {
    const found = [...new Set(definite.flatMap((answer) => valuesIn(answer, type)))];
    const finding = challengeMissing({ host, name, type, value, found });
    return { kind: "missing", findings: [finding], answers };
  }
  if (delegation !== undefined) return { kind: "delegated", findings: [], answers };
  const claims = await store.claimsOn(host);
  const shared = claims.some(({ domain: { id, lastChallenge } }) => {
    return id !== domain.id && lastChallenge === value;
  });
  // With so many claims, the one that it belongs to may be missing.
  const unclear = shared || claims.length >= claimsMax;
  return { kind: unclear ? "unproven" : "found", findings: [], answers };
}

async function askEach(name: string, type: "TXT" | "CNAME", resolver: Resolver) {
  const found = await resolver.nameServers(name);
  if (found.kind !== "found") {
    return { seen: [found], answers: [`name servers of ${name}: ${describe(found)}`] };
  }
  const seen = await Promise.all(found.servers.map((server) => resolver.ask(server, name, type)));
  const answers = seen.map((answer, at) => {
    const server = found.servers[at];
    return `${server?.name} (${server?.address}) ${type} of ${name}: ${describe(answer)}`;
  });
  return { seen, answers };
}

/** The verdict on a domain that is validated by DNS, from that on its own records. */
export function judgeChallenge(
  pointing: Verdict,
  sight: ChallengeSight,
  domain: Domain,
  nowMs: number,
): Verdict {
  const { proxied, certificate, dns } = domain;
  const challenge = challengeIn(
    sight,
    isProven(domain) || pointing.proven === true || pointing.kind === "right",
  );
  const verdict = (kind: Verdict["kind"], findings: readonly Finding[]): Verdict => ({
    ...{ kind, findings, zone: pointing.zone },
    ...(challenge && { challenge }),
  });
  const held = isValid(certificate.held, nowMs);
  // The addresses of a proxy may be any, and say nothing of whose the name is.
  const reached = pointing.kind === "right" || (pointing.kind === "wrong" && hasRecords(pointing));
  if (proxied ? held && reached : pointing.kind === "right") {
    const findings = proxied ? sight.findings : pointing.findings;
    return { ...verdict("right", findings), pointing: true };
  }
  // It was switched, so that its address counts as for any other domain.
  if (dns.pointed && (held || proxied !== true)) return verdict(pointing.kind, pointing.findings);
  const ready = challenge === "delegated" || challenge === "found";
  if (held) {
    const unclear = pointing.kind === "unknown" ? pointing.findings : undefined;
    const next = unclear ?? [switchPending(domain, pointing.findings)];
    // Of a TXT record, only while an order for a renewal waits for it.
    return verdict(ready ? "right" : "unknown", [...next, ...sight.findings]);
  }
  if (ready) return verdict("right", []);
  if (challenge === "unproven") return verdict("unknown", [proofWanted]);
  const other = sight.findings.some(({ found = [] }) => found.length > 0);
  return verdict(other && pointing.kind === "wrong" ? "wrong" : "unknown", sight.findings);
}

function challengeIn({ kind }: ChallengeSight, proven: boolean): Verdict["challenge"] {
  if (kind === "unproven") return proven ? "found" : "unproven";
  return kind === "delegated" || kind === "found" ? kind : undefined;
}

const hasRecords = ({ findings }: Verdict) => findings.some(({ found = [] }) => found.length > 0);

const proofWanted: Finding = {
  code: "PROOF_MISSING",
  message:
    "The certificate authority would issue by an earlier validation, or another claim waits for the same record, so we need a proof that the name is yours.",
  next: "Create the TXT record that is shown, then re-verify.",
};
