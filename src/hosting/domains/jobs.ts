/** The jobs of a domain: query DNS or the authority, decide by pure rules, commit. */

import { newTarget } from "../sites/siteAddress.ts";
import { checkCaa } from "./caa.ts";
import { wildcardBase } from "./certificateAuthority.ts";
import { judgeChallenge, lookForChallenge, validationFor } from "./dnsValidation.ts";
import { type Domain, definiteFailuresMax, hasEnded, isOwnName, isValid } from "./domain.ts";
import {
  type ChangeOutcome,
  type DomainStore,
  isOpenable,
  type RoutingChange,
  type StoredDomain,
} from "./domains.ts";
import { type Finding, proofFor, propagationOverdue } from "./finding.ts";
import { issue } from "./issuance.ts";
import * as lifecycle from "./lifecycle.ts";
import { answersOf, describe, observe, valuesIn } from "./observation.ts";
import { caaIdentitiesOf } from "./preparation.ts";
import type { Resolver } from "./resolver.ts";
import { withoutHost } from "./routing.ts";
import { askWindowMs, instantIn, type Job } from "./schedule.ts";
import {
  type JobContext,
  type LeasedDomain,
  timelineEntry,
  updateLeased,
  updateWithRetry,
} from "./updates.ts";
import { type Verdict, verify, verifyOwn } from "./verification.ts";

type RunJob = (leased: LeasedDomain, context: JobContext) => Promise<ChangeOutcome>;

export const jobs: Readonly<Record<Job, RunJob>> = {
  check,
  abandon,
  report_delay: reportDelay,
  issue: (leased, context) => issue(leased, context, () => check(leased, context)),
  renewal_window: updateRenewalWindow,
  watch,
};

async function look(domain: Domain, context: JobContext) {
  const { host, target, ownership } = domain;
  const unusedLabel = `unused-${Buffer.from(context.clock.random(6)).toString("hex")}`;
  if (isOwnName(domain)) return lookAtOwn(host, unusedLabel, context.resolver);
  const proof = ownership.kind === "held" ? undefined : proofFor(host, target);
  const proofAlways = domain.validation !== undefined;
  const question = { host, target, proofName: proof?.fullName, proofAlways, unusedLabel };
  const observation = await observe(question, context.resolver);
  const verdict = verify(observation, { host, target, proof });
  const answers = answersOf(observation);
  if (domain.validation === undefined) return { verdict, answers };
  const sight = await lookForChallenge(domain, context);
  return {
    verdict: judgeChallenge(verdict, sight, domain, context.now()),
    answers: [...sight.answers, ...answers],
  };
}

/** The platform's own name needs an address. Behind NAT it is not one of ours, so only the CA can tell. */
async function lookAtOwn(host: string, unusedLabel: string, resolver: Resolver) {
  const base = wildcardBase(host);
  const name = base === undefined ? host : `${unusedLabel}.${base}`;
  const [a, aaaa] = await Promise.all([resolver.lookUp(name, "A"), resolver.lookUp(name, "AAAA")]);
  const answers = [`recursor A: ${describe(a)}`, `recursor AAAA: ${describe(aaaa)}`];
  return { verdict: verifyOwn(host, [a, aaaa]), answers };
}

async function check(leased: LeasedDomain, context: JobContext): Promise<ChangeOutcome> {
  const { target, ...rest } = withTarget(leased.stored.domain, context);
  const { verdict, answers } = await look({ target, ...rest }, context);
  const nowMs = context.now();
  const undecryptable = await isUndecryptable(leased.stored.domain, context);
  context.log.info("domain.checked", {
    host: leased.stored.domain.host,
    verdict: verdict.kind,
    findings: verdict.findings.map(({ code }) => code),
  });
  return updateLeased(leased, context, async (before) => {
    const usable = undecryptable ? lifecycle.certificateLost(before) : before;
    let domain = lifecycle.checked({ ...usable, target }, verdict, nowMs);
    const entries = [
      timelineEntry(nowMs, "dns_checked", wordsOf(verdict), verdict.findings, answers),
    ];
    if (undecryptable) entries.push(timelineEntry(nowMs, "certificate_lost", lostWords));
    entries.push(...milestones(before, domain, nowMs));
    if (!domain.overdueReported && lifecycle.isOverdue(domain, nowMs)) {
      domain = lifecycle.overdueReported(domain);
      const { message } = propagationOverdue;
      entries.push(timelineEntry(nowMs, "propagation_overdue", message, [propagationOverdue]));
    }
    const claimed = before.ownership.kind !== "held" && domain.ownership.kind === "held";
    const rival = claimed ? await rivalOf(domain, context.store) : undefined;
    if (rival === undefined) return { domain, entries };
    const displaced = lifecycle.displaced(rival.domain, nowMs);
    const { findings } = displaced.dns;
    const entry = timelineEntry(nowMs, "displaced", findings[0]?.message ?? "", findings);
    return {
      domain,
      entries,
      displaces: { domain: displaced, version: rival.version, entries: [entry] },
      // The platform's own names are in no routing.
      ...(isOwnName(rival.domain)
        ? {}
        : { routing: await routingWithout(rival.domain, context.store) }),
    };
  });
}

/** One that was stored before there were targets gets its own. */
function withTarget(domain: Domain, { target, clock }: JobContext): Domain {
  const missing = domain.target === "" && !isOwnName(domain);
  return missing ? { ...domain, target: newTarget(target, clock) } : domain;
}

const lostWords =
  "The stored certificate can no longer be decrypted, so a new one will be ordered.";

/** Whether the certificate was sealed with another secret. */
async function isUndecryptable(
  { host, certificate }: Domain,
  context: JobContext,
): Promise<boolean> {
  if (certificate.held === undefined) return false;
  const stored = await context.store.certificateFor(host, context.now());
  return stored?.id === certificate.held.id && !isOpenable(stored, context.vault);
}

function wordsOf({ kind, findings, challenge, pointing }: Verdict): string {
  if (challenge !== undefined && !pointing) {
    return findings[0]?.message ?? "The record by which the name is validated is there.";
  }
  if (kind === "right") return "DNS is right: every name server and the recursor agree.";
  return findings[0]?.message ?? "DNS gave no definite answer.";
}

const degradedWords = "DNS no longer points to us. We keep serving visitors who still reach us.";

function milestones(before: Domain, after: Domain, nowMs: number) {
  const entries = [];
  if (after.certificate.issuance !== undefined && before.certificate.issuance === undefined) {
    const words = `${after.host} is verified. A certificate is ordered next.`;
    entries.push(timelineEntry(nowMs, "verified", words));
  }
  if (after.dns.pointed && !before.dns.pointed && isValid(before.certificate.held, nowMs)) {
    const words = `DNS points here now, and ${after.host} is live.`;
    entries.push(timelineEntry(nowMs, "switched", words));
  }
  const drifted = (domain: Domain) => domain.dns.failures >= definiteFailuresMax;
  if (isValid(after.certificate.held, nowMs) && drifted(after) !== drifted(before)) {
    entries.push(
      drifted(after)
        ? timelineEntry(nowMs, "degraded", degradedWords, after.dns.findings)
        : timelineEntry(nowMs, "recovered", "DNS points to us again."),
    );
  }
  return entries;
}

async function rivalOf(domain: Domain, store: DomainStore): Promise<StoredDomain | undefined> {
  const holder = await store.holderOf(domain.host);
  return holder?.domain.id === domain.id ? undefined : holder;
}

/** No route of a project may use a name that it has lost. */
async function routingWithout(
  { project, host }: Domain,
  store: DomainStore,
): Promise<RoutingChange> {
  const { routing, version } = await store.routing(project);
  return { project, routing: withoutHost(routing, host), version };
}

const abandonedWords =
  "Nothing right was found for 30 days, so we stopped looking. Add the domain again when DNS is ready.";

async function abandon(leased: LeasedDomain, context: JobContext): Promise<ChangeOutcome> {
  const nowMs = context.now();
  return updateLeased(leased, context, async (domain) => ({
    domain: lifecycle.abandoned(domain, nowMs),
    routing: await routingWithout(domain, context.store),
    entries: [timelineEntry(nowMs, "abandoned", abandonedWords)],
  }));
}

/** After thirty minutes without a certificate: does DNS still verify, and does a CAA record block? */
async function reportDelay(leased: LeasedDomain, context: JobContext): Promise<ChangeOutcome> {
  const { host } = leased.stored.domain;
  const { verdict, answers } = await look(leased.stored.domain, context);
  const caaIdentities = caaIdentitiesOf(await context.authority.reach());
  const nowMs = context.now();
  const validation = validationFor(leased.stored.domain, nowMs);
  const caa =
    caaIdentities.length === 0
      ? undefined
      : await checkCaa(host, caaIdentities, context.resolver, validation);
  const causes = [
    ...verdict.findings,
    ...(caa === undefined || caa.kind === "permitted" ? [] : [caa.finding]),
  ];
  const delay: Finding = {
    code: "CERTIFICATE_OVERDUE",
    message:
      causes.length > 0
        ? "There is no certificate after 30 minutes. The findings below say why."
        : `There is no certificate after 30 minutes. DNS is right${caa === undefined ? "" : " and no CAA record stands in the way"}.`,
  };
  return updateLeased(leased, context, (domain) => ({
    domain: lifecycle.delayed(domain, [delay, ...causes]),
    entries: [
      timelineEntry(nowMs, "certificate_overdue", delay.message, [delay, ...causes], answers),
    ],
  }));
}

const windowWords = "The authority said when it wants the certificate renewed.";
const notOfferedRetryMs = 4 * askWindowMs;
const unavailableRetryMs = askWindowMs / 6;

async function updateRenewalWindow(
  leased: LeasedDomain,
  context: JobContext,
): Promise<ChangeOutcome> {
  const { held } = leased.stored.domain.certificate;
  const askAgain = (askAgainAtMs: number | undefined) =>
    updateLeased(leased, context, (domain) => ({
      domain: lifecycle.renewalWindowReceived(domain, { askAgainAtMs }),
      entries: [],
    }));
  if (held?.renewalName === undefined) return askAgain(undefined);
  const answer = await context.authority.renewalWindow(held.renewalName, held.directory);
  const nowMs = context.now();
  if (answer.kind === "not_offered") return askAgain(nowMs + notOfferedRetryMs);
  if (answer.kind === "unavailable") return askAgain(nowMs + unavailableRetryMs);
  const window = { startMs: answer.startMs, endMs: answer.endMs };
  const [chance = 0] = context.clock.random(1);
  return updateLeased(leased, context, (domain) => {
    const { certificate } = domain;
    const same =
      certificate.window?.startMs === window.startMs && certificate.window.endMs === window.endMs;
    // Early enough for a second attempt if the first is refused.
    const lastMs = held.notAfterMs - (held.notAfterMs - held.notBeforeMs) / 10;
    const chosenMs = Math.min(instantIn(window.startMs, window.endMs, chance / 256), lastMs);
    const renewAtMs = same ? certificate.renewAtMs : chosenMs;
    return {
      domain: lifecycle.renewalWindowReceived(domain, {
        window,
        renewAtMs,
        askAgainAtMs: answer.askAgainAtMs,
      }),
      entries: same ? [] : [timelineEntry(nowMs, "renewal_window", windowWords)],
    };
  });
}

/** The record of a removed name is of no use to anybody else, but its owner should know of it. */
async function watch({ stored, lease }: LeasedDomain, context: JobContext): Promise<ChangeOutcome> {
  const { host, target } = stored.domain;
  const answer = await context.resolver.lookUp(host, "CNAME");
  const nowMs = context.now();
  const attachedAgain = (await rivalOf(stored.domain, context.store)) !== undefined;
  const dangling = !attachedAgain && valuesIn(answer, "CNAME", host).includes(target);
  const finding: Finding = {
    code: "DANGLING",
    message: `${host} is not attached any more, but its CNAME still points to us.`,
    next: `Delete the record of ${host} at your DNS provider.`,
    found: [`CNAME ${target}`],
  };
  return updateWithRetry(
    context,
    stored,
    (domain) => {
      if (!hasEnded(domain)) return undefined;
      const findings =
        answer.kind === "unreachable" ? domain.dns.findings : dangling ? [finding] : [];
      const entries = dangling
        ? [timelineEntry(nowMs, "dangling", finding.message, [finding])]
        : [];
      return { domain: lifecycle.watched(domain, findings, nowMs), entries };
    },
    lease,
  );
}
