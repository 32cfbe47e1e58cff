/** The work of getting a certificate under a lease: check, prepare, order, store. */
import { type Amendment, amend, entry } from "./amend.ts";
import type { OrderOutcome, OrderRequest } from "./certificateAuthority.ts";
import { certificateFacts } from "./certificateFacts.ts";
import { type Domain, type HeldCertificate, hasEnded, isValid } from "./domain.ts";
import {
  type CaAttempt,
  type ChangeOutcome,
  certificateSeal,
  isOpenable,
  type StoredCertificate,
} from "./domains.ts";
import { registrableOf } from "./hostName.ts";
import { commit, type KeeperParts, type Kept } from "./kept.ts";
import * as lifecycle from "./lifecycle.ts";
import { isOrdered, prepare, publish, refusalOf, Unprepared, withinBudget } from "./preparation.ts";
import { renewalMs, suspendedRetryMs } from "./schedule.ts";

/** A check of DNS that is younger than this is believed. */
const checkAgeMaxMs = 60_000;
const unclearRetryMs = 60_000;
const otherOrderRetryMs = 30_000;

export async function issue(
  kept: Kept,
  parts: KeeperParts,
  check: () => Promise<ChangeOutcome>,
): Promise<ChangeOutcome> {
  const { stored } = kept;
  const nowMs = parts.now();
  if (!stored.standing.paid || !stored.standing.deployed) {
    return putOff(kept, parts, suspendedRetryMs);
  }
  if (nowMs - (stored.domain.dns.checkedAtMs ?? 0) > checkAgeMaxMs) {
    const outcome = await check();
    if (outcome !== "done") return outcome;
  }
  const fresh = await parts.store.get(stored.domain.id);
  if (fresh === undefined || hasEnded(fresh.domain)) return "done";
  const now: Kept = { ...kept, stored: fresh };
  if (fresh.domain.dns.failures > 0) return notPointing(now, parts);
  // The verdict stands, but the last look learnt nothing: an order would learn it the costly way.
  if (fresh.domain.dns.lastCheck === "unknown") return putOff(now, parts, unclearRetryMs);
  return (await reuse(now, parts)) ?? order(now, parts);
}

function notPointing(kept: Kept, parts: KeeperParts): Promise<ChangeOutcome> {
  return commit(kept, parts, (domain) => ({
    domain: lifecycle.notPointing(domain, parts.now()),
    entries: [],
  }));
}

function putOff(
  kept: Kept,
  parts: KeeperParts,
  delayMs: number,
  attempts: readonly CaAttempt[] = [],
): Promise<ChangeOutcome> {
  const nowMs = parts.now();
  return commitCounted(kept, parts, attempts, (domain) => ({
    domain: lifecycle.postponed(lifecycle.renewing(domain, nowMs), nowMs + delayMs),
    entries: [],
  }));
}

/** A certificate from before the name went away is as good as a new one, and costs no order. */
async function reuse(kept: Kept, parts: KeeperParts): Promise<ChangeOutcome | undefined> {
  const { domain } = kept.stored;
  const nowMs = parts.now();
  if (isValid(domain.certificate.held, nowMs)) return undefined;
  const stored = await parts.store.certificateFor(domain.host, nowMs);
  if (stored === undefined || !isOpenable(stored, parts.vault)) return undefined;
  if (renewalMs(stored.notBeforeMs, stored.notAfterMs) <= nowMs) return undefined;
  parts.tell("domain.certificateReused", { host: domain.host, certificate: stored.id });
  return commit(kept, parts, (before) => ({
    domain: lifecycle.certified(before, heldFrom(stored), nowMs),
    entries: [entry(nowMs, "certificate_reused", "The certificate from before is still good.")],
  }));
}

async function order(kept: Kept, parts: KeeperParts): Promise<ChangeOutcome> {
  const { host, certificate } = kept.stored.domain;
  // Of another claim on this name, which ended while it was at it.
  if (certificate.issuance?.ordering !== true && (await isOrdered(host, parts))) {
    return putOff(kept, parts, otherOrderRetryMs);
  }
  const ready = await prepare(kept.stored.domain, parts);
  if (ready.kind === "refused") return refuse(kept, parts, ready, []);
  const begunAtMs = parts.now();
  const begun = await commit(kept, parts, (domain) => ({
    domain: lifecycle.ordering(domain, begunAtMs),
    entries: [entry(begunAtMs, "order_placed", "A certificate is ordered.")],
    attempts: [attempt(host, "order", begunAtMs)],
  }));
  if (begun !== "done") return begun;
  const current = await parts.store.get(kept.stored.domain.id);
  if (current === undefined || hasEnded(current.domain)) return "done";
  const now: Kept = { ...kept, stored: current };
  const affordable = await withinBudget(current.domain, parts);
  if (affordable.kind === "refused") return refuse(now, parts, affordable, [resolved("settled")]);

  let unprepared: Unprepared | undefined;
  let told = false;
  const outcome = await placed({
    host,
    replaces: certificate.held?.renewalName,
    signal: kept.signal,
    async publish(challenge) {
      try {
        await publish(challenge, kept.lease, parts);
        told = true;
      } catch (cause) {
        if (cause instanceof Unprepared) unprepared = cause;
        throw cause;
      }
    },
  });
  if (outcome.kind === "issued") return store(now, parts, outcome);
  if (unprepared !== undefined) {
    const refused = { reason: "unprepared", findings: [unprepared.finding], retryAtMs: undefined };
    return refuse(now, parts, refused as lifecycle.Refused, [resolved("settled")]);
  }
  const { reason } = outcome.refusal;
  // Authorities look at CAA while they authorize, and count that refusal like any other failure.
  // Whoever falls silent after being told to look may have looked, and counted.
  const failed =
    reason === "authorization_failed" || reason === "caa" || (told && reason !== "rate_limited");
  const attempts = [resolved(failed ? "failed_authorization" : "settled")];
  // Nobody refused: we are stopping, or another worker has the lease.
  if (reason === "abandoned") return putOff(now, parts, 0, attempts);
  return refuse(now, parts, refusalOf(outcome.refusal), attempts);

  /** What throws here is a fault of ours, such as a secret that opens nothing. */
  async function placed(request: OrderRequest): Promise<OrderOutcome> {
    try {
      return await parts.authority.order(request);
    } catch (cause) {
      parts.tell("domain.orderFailed", { host, cause });
      const detail = "Our own service failed while it ordered.";
      return { kind: "refused", refusal: { reason: "unavailable", detail, retryAtMs: undefined } };
    }
  }

  function resolved(kind: CaAttempt["kind"]): CaAttempt {
    return attempt(host, kind, parts.now());
  }
}

function refuse(
  kept: Kept,
  parts: KeeperParts,
  refused: lifecycle.Refused,
  attempts: readonly CaAttempt[],
): Promise<ChangeOutcome> {
  const nowMs = parts.now();
  const { host } = kept.stored.domain;
  parts.tell("domain.refused", { host, reason: refused.reason });
  const message = refused.findings[0]?.message ?? "There is no certificate yet.";
  return commitCounted(kept, parts, attempts, (domain) => ({
    domain: lifecycle.refused(domain, refused, nowMs),
    entries: [entry(nowMs, "certificate_refused", message, refused.findings)],
  }));
}

/** What the authority counted counts, also where the domain has ended or is another worker's now. */
async function commitCounted(
  { stored, lease }: Kept,
  parts: KeeperParts,
  attempts: readonly CaAttempt[],
  decide: (domain: Domain) => Amendment,
): Promise<ChangeOutcome> {
  let ended = false;
  const outcome = await amend(
    parts,
    stored,
    (domain) => {
      ended = hasEnded(domain);
      return ended ? undefined : { ...decide(domain), attempts };
    },
    lease,
  );
  if (ended || outcome !== "done") {
    for (const each of attempts) await parts.store.recordAttempt(each);
  }
  return outcome;
}

async function store(
  kept: Kept,
  parts: KeeperParts,
  issued: { readonly chainPem: string; readonly privateKeyPem: string },
): Promise<ChangeOutcome> {
  const { host } = kept.stored.domain;
  const nowMs = parts.now();
  const id = `crt_${Buffer.from(parts.clock.random(12)).toString("base64url")}`;
  const certificate: StoredCertificate = {
    id,
    host,
    chainPem: issued.chainPem,
    sealedKey: parts.vault.seal(issued.privateKeyPem, certificateSeal(host, id)),
    ...certificateFacts(issued.chainPem),
    renewalName: parts.renewalNameOf(issued.chainPem),
  };
  parts.tell("domain.certified", { host, certificate: id, issuer: certificate.issuer });
  const attempts = [attempt(host, isCounted(certificate) ? "certificate" : "settled", nowMs)];
  return commitCounted(kept, parts, attempts, (domain) => ({
    domain: lifecycle.certified(domain, heldFrom(certificate), nowMs),
    entries: [
      entry(
        nowMs,
        "certificate_issued",
        `${certificate.issuer} issued a certificate. ${host} is live.`,
      ),
    ],
    certificate,
  }));
}

/** An authority that issues for less than a day cannot count its certificates by the week. */
function isCounted({ notBeforeMs, notAfterMs }: StoredCertificate): boolean {
  return notAfterMs - notBeforeMs >= 24 * 3_600_000;
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
