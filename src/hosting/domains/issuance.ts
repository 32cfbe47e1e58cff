/** Obtains a certificate under a lease: check, prepare, order, store. */
import { X509Certificate } from "node:crypto";
import { attemptFor } from "./budget.ts";
import type {
  OrderOutcome,
  OrderRequest,
  PlacedOrder,
  RefusalReason,
  Validation,
} from "./certificateAuthority.ts";
import { challengeAwaited, challengeNameOf, validationFor } from "./dnsValidation.ts";
import {
  type Domain,
  type HeldCertificate,
  hasEnded,
  isPrepared,
  isProven,
  isValid,
} from "./domain.ts";
import {
  type CaAttempt,
  type ChangeOutcome,
  certificateSeal,
  isOpenable,
  orderSeal,
  type StoredCertificate,
} from "./domains.ts";
import * as lifecycle from "./lifecycle.ts";
import {
  ChallengeAwaited,
  isOrdered,
  NotReadyError,
  orderFailureOf,
  outageIn,
  prepare,
  publishChallenge,
  publishInDns,
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
  const { ordering = false, order: kept } = stored.domain.certificate.issuance ?? {};
  if (ordering && kept === undefined) {
    // A process crashed before the authority had its order, or before it was asked for anything.
    const over = (domain: Domain) => ({ domain: lifecycle.orderOver(domain), entries: [] });
    const attempts = attemptsOf(stored.domain.host, "settled", nowMs);
    const outcome = await updateLeased(leased, context, over, attempts);
    if (outcome !== "done") return outcome;
  }
  if (!stored.standing.paid || !stored.standing.deployed) {
    return putOff(leased, context, suspendedRetryMs);
  }
  const outage = await outageOf(stored.domain, context);
  if (outage !== undefined) return refuse(leased, context, outage);
  if (nowMs - (stored.domain.dns.checkedAtMs ?? 0) > checkAgeMaxMs) {
    const outcome = await check();
    if (outcome !== "done") return outcome;
  }
  const fresh = await context.store.get(stored.domain.id);
  if (fresh === undefined || hasEnded(fresh.domain)) return "done";
  const now: LeasedDomain = { ...leased, stored: fresh };
  const validation = validationFor(fresh.domain, nowMs);
  const { failures, lastCheck } = fresh.domain.dns;
  // Only what points here can be validated over HTTP.
  const pointing = validation === "http-01" && fresh.domain.proxied !== true;
  if (validation === undefined || (pointing && failures > 0)) {
    return updateLeased(now, context, (domain) => ({
      domain: lifecycle.notPointing(domain, context.now()),
      entries: [],
    }));
  }
  // The verdict is from an earlier check: an order now might fail, and count against the limits.
  if (pointing && lastCheck === "unknown") return putOff(now, context, unclearRetryMs);
  return (await reuse(now, context)) ?? order(now, context, validation);
}

/** While an outage of the authority lasts, nothing else is asked at a retry: many domains wait. */
async function outageOf(
  domain: Domain,
  context: JobContext,
): Promise<lifecycle.OrderFailure | undefined> {
  if (domain.certificate.issuance?.refusal?.reason !== "unavailable") return undefined;
  const refusal = outageIn(await context.authority.reach());
  return refusal && orderFailureOf(refusal, domain, context);
}

function putOff(
  leased: LeasedDomain,
  context: JobContext,
  delayMs: number,
  ended?: CaAttempt["kind"],
): Promise<ChangeOutcome> {
  const nowMs = context.now();
  const decide = (before: Domain): DomainUpdate => {
    const domain = lifecycle.postponed(lifecycle.renewing(before, nowMs), nowMs + delayMs);
    return { domain: ended === undefined ? domain : lifecycle.orderOver(domain), entries: [] };
  };
  return updateLeased(leased, context, decide, attemptsOf(leased.stored.domain.host, ended, nowMs));
}

/** A valid certificate from before the name was removed is reused instead of a new order. */
async function reuse(
  leased: LeasedDomain,
  context: JobContext,
): Promise<ChangeOutcome | undefined> {
  const { domain } = leased.stored;
  const nowMs = context.now();
  if (isValid(domain.certificate.held, nowMs)) return undefined;
  // Nothing is known of a name that is to be validated by DNS before it was.
  if (domain.validation !== undefined && !isProven(domain)) return undefined;
  const stored = await context.store.certificateFor(domain.host, nowMs);
  if (stored === undefined || !isOpenable(stored, context.vault)) return undefined;
  if (renewalMs(stored.notBeforeMs, stored.notAfterMs) <= nowMs) return undefined;
  context.log.info("domain.certificate_reused", { host: domain.host, certificate: stored.id });
  return updateLeased(leased, context, (before) => ({
    domain: lifecycle.certified(before, heldFrom(stored), nowMs),
    entries: [
      timelineEntry(nowMs, "certificate_reused", "The certificate from before is still good."),
    ],
  }));
}

async function order(
  leased: LeasedDomain,
  context: JobContext,
  validation: Validation,
): Promise<ChangeOutcome> {
  const { host, certificate } = leased.stored.domain;
  const resume = resumable(leased.stored.domain, context);
  // One that waited for its owner counts from now on.
  const isNew = resume === undefined || certificate.issuance?.order?.waits === true;
  // Another claim on this name ended while its order was in progress.
  if (isNew && (await isOrdered(host, context))) {
    return putOff(leased, context, otherOrderRetryMs);
  }
  const ready = await prepare(leased.stored.domain, context, { resume, validation });
  if (ready.kind === "refused") return refuse(leased, context, ready);
  const now = await begin(leased, context, { resume, isNew });
  if (now === undefined) return "fenced";
  if (hasEnded(now.stored.domain)) return "done";
  if (resume === undefined) {
    const affordable = await withinBudget(now.stored.domain, context);
    if (affordable.kind === "refused") return refuse(now, context, affordable, "settled");
  }
  return place(now, context, { validation, directories: ready.directories, resume });
}

/** The order that an earlier attempt left without an outcome. */
function resumable({ host, certificate }: Domain, { vault }: JobContext): PlacedOrder | undefined {
  const { order } = certificate.issuance ?? {};
  if (order === undefined) return undefined;
  const { directory, url, sealedKey } = order;
  // Sealed with another secret, so its certificate would be of no use.
  if (!vault.opens(sealedKey, orderSeal(host, url))) return undefined;
  return { directory, url, privateKeyPem: vault.open(sealedKey, orderSeal(host, url)) };
}

/** Undefined if another worker has the lease. */
async function begin(
  leased: LeasedDomain,
  context: JobContext,
  { resume, isNew }: { readonly resume: PlacedOrder | undefined; readonly isNew: boolean },
): Promise<LeasedDomain | undefined> {
  const { id, host } = leased.stored.domain;
  const nowMs = context.now();
  const entry =
    resume === undefined
      ? timelineEntry(nowMs, "order_placed", "A certificate is ordered.")
      : timelineEntry(nowMs, "order_resumed", "The order of the certificate is resumed.");
  const begun = await updateLeased(leased, context, (domain) => ({
    domain: lifecycle.ordering(domain, nowMs),
    entries: [entry],
    attempts: isNew ? [attemptFor(host, "order", nowMs)] : [],
  }));
  const stored = begun === "done" ? await context.store.get(id) : undefined;
  return stored && { ...leased, stored };
}

interface Placing {
  readonly validation: Validation;
  readonly directories: readonly string[];
  readonly resume: PlacedOrder | undefined;
}

async function place(
  leased: LeasedDomain,
  context: JobContext,
  { validation, directories, resume }: Placing,
): Promise<ChangeOutcome> {
  const { domain } = leased.stored;
  const { host, certificate } = domain;
  let unprepared: NotReadyError | undefined;
  let awaited: ChallengeAwaited | undefined;
  let published = false;
  let kept = resume !== undefined;
  const outcome = await placed({
    host,
    validation,
    replaces: certificate.held?.renewalName,
    signal: leased.signal,
    resume,
    async placed(order) {
      await keep(order, leased, context);
      kept = true;
    },
    async publish(challenge) {
      try {
        if (validation === "dns-01") await publishInDns(domain, challenge, context);
        else await publishChallenge(challenge, leased.lease, context);
        published = true;
      } catch (cause) {
        if (cause instanceof NotReadyError) unprepared = cause;
        if (cause instanceof ChallengeAwaited) awaited = cause;
        throw cause;
      }
    },
    async trusted() {
      // What points here is validated by that.
      if (validation === "http-01" || domain.validation === undefined || isProven(domain)) return;
      awaited = new ChallengeAwaited("");
      throw awaited;
    },
  });
  if (outcome.kind === "issued") return store(leased, context, outcome);
  if (awaited !== undefined) return waitFor(awaited, leased, context);
  const { refusal } = outcome;
  // The authority has not decided, so the next attempt resumes the order, and its outcome counts.
  const open = kept && !refusal.orderLost && !decisions.includes(refusal.reason);
  // Authorities check CAA during authorization, and count a refusal like any other failure.
  const failed = refusal.reason === "authorization_failed" || refusal.reason === "caa" || published;
  const ended = open ? undefined : failed ? "failed_authorization" : "settled";
  if (unprepared !== undefined) {
    const { finding } = unprepared;
    const failure = { reason: "unprepared", findings: [finding], retryAtMs: undefined } as const;
    return refuse(leased, context, failure, ended);
  }
  // Not a refusal: the process is stopping, or another worker has the lease.
  if (refusal.reason === "abandoned") return putOff(leased, context, 0, ended);
  return refuse(leased, context, orderFailureOf(refusal, leased.stored.domain, context), ended);

  /** An exception here is an error of ours, such as a wrong secret. */
  async function placed(request: OrderRequest): Promise<OrderOutcome> {
    try {
      return await context.authority.order(request, directories);
    } catch (cause) {
      context.log.error("domain.order_failed", { host, cause });
      unprepared = new NotReadyError("Our own service failed while ordering.");
      const detail = unprepared.message;
      return { kind: "refused", refusal: { reason: "abandoned", detail, retryAtMs: undefined } };
    }
  }
}

/** The order is resumed once the owner has created the record, or has proven the name otherwise. */
function waitFor(
  { value }: ChallengeAwaited,
  leased: LeasedDomain,
  context: JobContext,
): Promise<ChangeOutcome> {
  const nowMs = context.now();
  const { host } = leased.stored.domain;
  const words =
    value === ""
      ? "The authority trusts an earlier validation. Prove that the name is yours."
      : `The authority waits for the TXT record ${challengeNameOf(host)} with the value ${value}.`;
  const decide = (before: Domain): DomainUpdate => {
    const told = before.certificate.issuance?.order?.challenge === value;
    return {
      domain: challengeAwaited(before, value, nowMs),
      entries: told ? [] : [timelineEntry(nowMs, "challenge_awaited", words)],
    };
  };
  return updateLeased(leased, context, decide, attemptsOf(host, "settled", nowMs));
}

/** The refusals by which an order ends. */
const decisions: readonly RefusalReason[] = ["caa", "policy", "authorization_failed"];

/** Rejects unless it is stored: an order that a crash could lose must not go on. */
async function keep(
  { directory, url, privateKeyPem }: PlacedOrder,
  leased: LeasedDomain,
  context: JobContext,
): Promise<void> {
  const { host } = leased.stored.domain;
  const sealedKey = context.vault.seal(privateKeyPem, orderSeal(host, url));
  let stored = false;
  const outcome = await updateLeased(leased, context, (domain) => {
    stored = true;
    return { domain: lifecycle.orderPlaced(domain, { directory, url, sealedKey }), entries: [] };
  });
  if (!stored || outcome !== "done") throw new Error("The domain was removed or taken over.");
}

/** `ended` is the outcome of the order; undefined if there is none, and it is resumed next time. */
function refuse(
  leased: LeasedDomain,
  context: JobContext,
  refused: lifecycle.OrderFailure,
  ended?: CaAttempt["kind"],
): Promise<ChangeOutcome> {
  const nowMs = context.now();
  const { host } = leased.stored.domain;
  const message = refused.findings[0]?.message ?? "There is no certificate yet.";
  const { reason, findings } = refused;
  // An outage is told once, and not at each of its retries.
  const last = leased.stored.domain.certificate.issuance?.refusal;
  const told = reason === "unavailable" && last?.findings[0]?.message === message;
  if (!told) context.log.warn("domain.certificate_refused", { host, reason, detail: message });
  const decide = (before: Domain): DomainUpdate => {
    const domain = lifecycle.orderFailed(before, refused, nowMs);
    return {
      domain: ended === undefined ? domain : lifecycle.orderOver(domain),
      entries: told ? [] : [timelineEntry(nowMs, "certificate_refused", message, findings)],
    };
  };
  return updateLeased(leased, context, decide, attemptsOf(host, ended, nowMs));
}

async function store(
  leased: LeasedDomain,
  context: JobContext,
  issued: Extract<OrderOutcome, { kind: "issued" }>,
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
  context.log.info("domain.certificate_issued", {
    host,
    certificate: id,
    issuer: certificate.issuer,
  });
  const { directory } = issued;
  const attempts = [attemptFor(host, "certificate", nowMs)];
  const state = isPrepared(leased.stored.domain) ? "ready to be switched" : "live";
  const words = `${certificate.issuer} issued a certificate. ${host} is ${state}.`;
  const decide = (domain: Domain): DomainUpdate => ({
    domain: lifecycle.certified(domain, { ...heldFrom(certificate), directory }, nowMs),
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

function attemptsOf(host: string, kind: CaAttempt["kind"] | undefined, atMs: number): CaAttempt[] {
  return kind === undefined ? [] : [attemptFor(host, kind, atMs)];
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
