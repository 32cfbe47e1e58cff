/** The one thing to do next about a domain, decided here for every view of it. */
import type { Status } from "./domain.ts";
import type { Finding, FindingCode } from "./finding.ts";

export interface NextStep {
  /** Who acts next. If it is the service, the owner has nothing to do. */
  readonly by: "owner" | "service";
  readonly text: string;
}

const owner = (text: string): NextStep => ({ by: "owner", text });
const service = (text: string): NextStep => ({ by: "service", text });

/** What to do about each finding, in general. A finding may say it with its own names and values. */
export const remedies: Readonly<Record<FindingCode, NextStep>> = {
  NXDOMAIN: owner("Create the record shown."),
  NO_CNAME: owner("Create the record shown."),
  CNAME_MISMATCH: owner("Change its value to the one shown."),
  CNAME_SUFFIXED: owner("Add a dot at the end of the value."),
  CNAME_CHAINED: owner("Point it directly to the value shown."),
  CNAME_LOOP: owner("Point it directly to the value shown."),
  CONFLICTING_A: owner("Delete it, then create the record shown."),
  CONFLICTING_AAAA: owner("Delete it, then create the record shown."),
  APEX_NEEDS_ALIAS: owner("Create an ALIAS or ANAME record, or attach www instead."),
  ALIAS_STALE: owner("Delete its A and AAAA records, and keep the ALIAS."),
  NS_DISAGREE: owner("Wait if you have just changed it; otherwise ask your DNS provider."),
  STALE_CACHE: service("Nothing to do: caches forget the old record within the time shown."),
  LAME_NS: owner("Correct the NS records at the registrar."),
  SERVFAIL: service("Nothing to do: it is retried. If it persists, ask your DNS provider."),
  DNSSEC_BROKEN: owner("Correct or delete the DS record at the registrar."),
  WILDCARD_MATCH: owner("Create the records shown for the name itself. The wildcard may stay."),
  PROXIED: owner("Disable it for this record (DNS only), or add the name as behind a proxy."),
  PROOF_MISSING: owner("Create the TXT record shown."),
  CHALLENGE_MISSING: owner("Create the record shown."),
  SWITCH_PENDING: owner("Replace the address by the record shown."),
  PROVEN_ELSEWHERE: owner("If it is yours, start again: add it once more, and prove it by DNS."),
  TARGET_UNKNOWN: service("Nothing to do: this is a fault on our side, and it is retried."),
  CAA_BLOCKS: owner("Add the CAA record shown, then re-verify."),
  CAA_LOOKUP_FAILED: service(
    "Nothing to do: it is retried. If it persists, ask your DNS provider.",
  ),
  HTTP_UNREACHABLE: service("Nothing to do: this is a fault on our side, and it is retried."),
  RATE_LIMITED: service("Nothing to do: it is retried at the time shown."),
  OWN_LIMIT: service("Nothing to do: it is retried at the time shown."),
  CA_REFUSED: owner("Use another name. The operator can ask the CA for the reason."),
  CA_UNAVAILABLE: service("Nothing to do: it is retried every one to two minutes."),
  AUTHORIZATION_FAILED: owner("See that the name reaches us from everywhere, then re-verify."),
  PROPAGATION_OVERDUE: owner("Compare your record with the one shown, character by character."),
  CERTIFICATE_OVERDUE: owner("Re-verify."),
  SUSPENDED: owner("Change the plan, or publish the project again."),
  DANGLING: owner("Delete its record."),
};

/** What to do where no finding says it. */
export const usualSteps: Readonly<Record<Status, NextStep>> = {
  pending_dns: owner("Create the record shown at your DNS provider, then verify."),
  misconfigured: owner("Change DNS to what is shown, then verify."),
  verified: service("Nothing to do: the certificate is ordered next."),
  issuing: service("Nothing to do: the certificate is being issued."),
  certificate_delayed: owner("Re-verify."),
  blocked: service("Nothing to do: it is retried at the time shown."),
  prepared: owner("Replace the address by the record shown, then verify."),
  live: service("Nothing to do: the certificate is renewed automatically."),
  degraded: owner("Change DNS to what is shown, then re-verify."),
  renewal_failing: service("Nothing to do: the renewal is retried."),
  suspended: owner("Change the plan, or publish the project again."),
  abandoned: owner("Start again: add it once more, when its DNS can be changed."),
  removed: service("Nothing to do."),
};

/** They say that it takes too long, and others say why. */
const summaries: readonly FindingCode[] = ["PROPAGATION_OVERDUE", "CERTIFICATE_OVERDUE"];

/**
 * What only the owner can do comes before what is only waited for. Of several things to do it is the
 * first: the others are found again if they are still there.
 */
export function nextStepOf(status: Status, findings: readonly Finding[]): NextStep {
  const reasons = findings.filter(({ code }) => !summaries.includes(code));
  const finding = reasons.find(needsOwner) ?? reasons[0] ?? findings[0];
  if (finding === undefined) return usualSteps[status];
  // The record of a name that was given up need not go: it may be what was waited for.
  if (status === "abandoned" && finding.code === "DANGLING") return usualSteps.abandoned;
  const { by, text } = remedies[finding.code];
  return { by, text: finding.next ?? text };
}

export const needsOwner = ({ code }: Pick<Finding, "code">): boolean =>
  remedies[code].by === "owner";
