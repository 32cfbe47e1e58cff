/** Obtains a certificate under a lease: check, prepare, order, store. */
import { X509Certificate } from "node:crypto";

import type { OrderOutcome, OrderRequest } from "./certificateAuthority.ts";
import { type Domain, type HeldCertificate, hasEnded, isValid } from "./domain.ts";
import {
  type CaAttempt,
  type ChangeOutcome,
  certificateSeal,
  isOpenable,
  type StoredCertificate,
} from "./domains.ts";
import { registrableOf } from "./hostName.ts";
import * as lifecycle from "./lifecycle.ts";
import {
  isOrdered,
  NotReadyError,
  orderFailureOf,
  prepare,
  publishChallenge,
  withinBudget,
} from "./preparation.ts";
import { renewalMs, suspendedRetryMs } from "./schedule.ts";
import {
  type DomainUpdate,
  type JobContext,
  type LeasedDomain,
  timelineEntry,
  updateLeased,
} from "./updates.ts";

/** A check of DNS that is older than this is repeated. */
const checkAgeMaxMs = 60_000;
const unclearRetryMs = 60_000;
const otherOrderRetryMs = 30_000;

export async function issue(
  leased: LeasedDomain,
  context: JobContext,
  check: () => Promise<ChangeOutcome>,
): Promise<ChangeOutcome> {
  const { stored } = leased;
  const nowMs = context.now();
  if (!stored.standing.paid || !stored.standing.deployed) {
    return putOff(leased, context, suspendedRetryMs);
  }
  if (nowMs - (stored.domain.dns.checkedAtMs ?? 0) > checkAgeMaxMs) {
    const outcome = await check();
    if (outcome !== "done") return outcome;
  }
  const fresh = await context.store.get(stored.domain.id);
  if (fresh === undefined || hasEnded(fresh.domain)) return "done";
  const now: LeasedDomain = { ...leased, stored: fresh };
  if (fresh.domain.dns.failures > 0) {
    return updateLeased(now, context, (domain) => ({
      domain: lifecycle.notPointing(domain, context.now()),
      entries: [],
    }));
  }
  // The verdict is from an earlier check: an order now might fail, and count against the limits.
  if (fresh.domain.dns.lastCheck === "unknown") return putOff(now, context, unclearRetryMs);
  return (await reuse(now, context)) ?? order(now, context);
}

function putOff(
  leased: LeasedDomain,
  context: JobContext,
  delayMs: number,
  attempts: readonly CaAttempt[] = [],
): Promise<ChangeOutcome> {
  const nowMs = context.now();
  const decide = (domain: Domain): DomainUpdate => ({
    domain: lifecycle.postponed(lifecycle.renewing(domain, nowMs), nowMs + delayMs),
    entries: [],
  });
  return updateLeased(leased, context, decide, attempts);
}

/** A valid certificate from before the name was removed is reused instead of a new order. */
async function reuse(
  leased: LeasedDomain,
  context: JobContext,
): Promise<ChangeOutcome | undefined> {
  const { domain } = leased.stored;
  const nowMs = context.now();
  if (isValid(domain.certificate.held, nowMs)) return undefined;
  const stored = await context.store.certificateFor(domain.host, nowMs);
  if (stored === undefined || !isOpenable(stored, context.vault)) return undefined;
  if (renewalMs(stored.notBeforeMs, stored.notAfterMs) <= nowMs) return undefined;
  context.log("domain.certificate_reused", { host: domain.host, certificate: stored.id });
  return updateLeased(leased, context, (before) => ({
    domain: lifecycle.certified(before, heldFrom(stored), nowMs),
    entries: [
      timelineEntry(nowMs, "certificate_reused", "The certificate from before is still good."),
    ],
  }));
}

async function order(leased: LeasedDomain, context: JobContext): Promise<ChangeOutcome> {
  const { host, certificate } = leased.stored.domain;
  // Another claim on this name ended while its order was in progress.
  if (certificate.issuance?.ordering !== true && (await isOrdered(host, context))) {
    return putOff(leased, context, otherOrderRetryMs);
  }
  const ready = await prepare(leased.stored.domain, context);
  if (ready.kind === "refused") return refuse(leased, context, ready, []);
  const begunAtMs = context.now();
  const begun = await updateLeased(leased, context, (domain) => ({
    domain: lifecycle.ordering(domain, begunAtMs),
    entries: [timelineEntry(begunAtMs, "order_placed", "A certificate is ordered.")],
    attempts: [attempt(host, "order", begunAtMs)],
  }));
  if (begun !== "done") return begun;
  const current = await context.store.get(leased.stored.domain.id);
  if (current === undefined || hasEnded(current.domain)) return "done";
  const now: LeasedDomain = { ...leased, stored: current };
  const affordable = await withinBudget(current.domain, context);
  if (affordable.kind === "refused") return refuse(now, context, affordable, [resolved("settled")]);

  let unprepared: NotReadyError | undefined;
  let published = false;
  const outcome = await placed({
    host,
    replaces: certificate.held?.renewalName,
    signal: leased.signal,
    async publish(challenge) {
      try {
        await publishChallenge(challenge, leased.lease, context);
        published = true;
      } catch (cause) {
        if (cause instanceof NotReadyError) unprepared = cause;
        throw cause;
      }
    },
  });
  if (outcome.kind === "issued") return store(now, context, outcome);
  if (unprepared !== undefined) {
    const refused = { reason: "unprepared", findings: [unprepared.finding], retryAtMs: undefined };
    return refuse(now, context, refused as lifecycle.OrderFailure, [resolved("settled")]);
  }
  const { reason } = outcome.refusal;
  // Authorities check CAA during authorization, and count a refusal like any other failure. One
  // that stops responding after the challenge was published may have validated it, and counted.
  const failed =
    reason === "authorization_failed" ||
    reason === "caa" ||
    (published && reason !== "rate_limited");
  const attempts = [resolved(failed ? "failed_authorization" : "settled")];
  // Not a refusal: the process is stopping, or another worker has the lease.
  if (reason === "abandoned") return putOff(now, context, 0, attempts);
  return refuse(now, context, orderFailureOf(outcome.refusal), attempts);

  /** An exception here is an error of ours, such as a wrong secret. */
  async function placed(request: OrderRequest): Promise<OrderOutcome> {
    try {
      return await context.authority.order(request);
    } catch (cause) {
      context.log("domain.order_failed", { host, cause });
      const detail = "Our own service failed while ordering.";
      return { kind: "refused", refusal: { reason: "unavailable", detail, retryAtMs: undefined } };
    }
  }

  function resolved(kind: CaAttempt["kind"]): CaAttempt {
    return attempt(host, kind, context.now());
  }
}

function refuse(
  leased: LeasedDomain,
  context: JobContext,
  refused: lifecycle.OrderFailure,
  attempts: readonly CaAttempt[],
): Promise<ChangeOutcome> {
  const nowMs = context.now();
  const { host } = leased.stored.domain;
  const message = refused.findings[0]?.message ?? "There is no certificate yet.";
  context.log("domain.certificate_refused", { host, reason: refused.reason, detail: message });
  const decide = (domain: Domain): DomainUpdate => ({
    domain: lifecycle.orderFailed(domain, refused, nowMs),
    entries: [timelineEntry(nowMs, "certificate_refused", message, refused.findings)],
  });
  return updateLeased(leased, context, decide, attempts);
}

async function store(
  leased: LeasedDomain,
  context: JobContext,
  issued: { readonly chainPem: string; readonly privateKeyPem: string },
): Promise<ChangeOutcome> {
  const { host } = leased.stored.domain;
  const nowMs = context.now();
  const id = `crt_${Buffer.from(context.clock.random(12)).toString("base64url")}`;
  const certificate: StoredCertificate = {
    id,
    host,
    chainPem: issued.chainPem,
    sealedKey: context.vault.seal(issued.privateKeyPem, certificateSeal(host, id)),
    ...certificateFacts(issued.chainPem),
    renewalName: context.renewalNameOf(issued.chainPem),
  };
  context.log("domain.certificate_issued", { host, certificate: id, issuer: certificate.issuer });
  const attempts = [attempt(host, "certificate", nowMs)];
  const words = `${certificate.issuer} issued a certificate. ${host} is live.`;
  const decide = (domain: Domain): DomainUpdate => ({
    domain: lifecycle.certified(domain, heldFrom(certificate), nowMs),
    entries: [timelineEntry(nowMs, "certificate_issued", words)],
    certificate,
  });
  return updateLeased(leased, context, decide, attempts);
}

function heldFrom({
  id,
  issuer,
  notBeforeMs,
  notAfterMs,
  renewalName,
}: StoredCertificate): HeldCertificate {
  return { id, issuer, notBeforeMs, notAfterMs, renewalName };
}

function attempt(host: string, kind: CaAttempt["kind"], atMs: number): CaAttempt {
  return { host, registrable: registrableOf(host) ?? host, kind, atMs };
}

/** Issuer and validity of the first certificate of a chain. */
function certificateFacts(chainPem: string) {
  const { issuer, validFrom, validTo } = new X509Certificate(chainPem);
  return {
    issuer: /(?:^|\n)(?:CN|O)=([^\n]+)/.exec(issuer)?.[1] ?? issuer,
    notBeforeMs: Date.parse(validFrom),
    notAfterMs: Date.parse(validTo),
  };
}
