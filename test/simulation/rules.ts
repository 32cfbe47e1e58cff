/** What must hold at every change, said once more and in another way than the program says it. */

import type { Vault } from "../../src/core/vault.ts";
import { challengeNameOf } from "../../src/hosting/domains/dnsValidation.ts";
import { type Domain, isServed, type Status, statusOf } from "../../src/hosting/domains/domain.ts";
import type { DomainChange } from "../../src/hosting/domains/domains.ts";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import type { EdgeView } from "../../src/hosting/domains/edgeView.ts";
import { proofFor } from "../../src/hosting/domains/finding.ts";
import { EventBooks } from "./eventBooks.ts";
import { isApexHost } from "./mistakes.ts";
import type { Sightings } from "./sightings.ts";
import type { SimulatedAuthority } from "./simulatedAuthority.ts";
import { keyMark } from "./simulatedOrders.ts";
import type { Tally } from "./tally.ts";
import type { VirtualTime } from "./virtualTime.ts";
import type { Account, WatchedStore, Witness } from "./watchedStore.ts";
import type { Zones } from "./zones.ts";

const day = 24 * 3_600_000;
/** What was fixed so late before the end may run out: the longest patience is a day. */
const repairMsMax = 1.5 * day;

export interface RulesParts {
  readonly time: VirtualTime;
  readonly tally: Tally;
  readonly zones: Zones;
  readonly sightings: Sightings;
  readonly authority: SimulatedAuthority;
  readonly vault: Vault;
  readonly edgeView: EdgeView;
  readonly store: WatchedStore;
  /** What is known of plans and deployments without asking the store. */
  readonly isPaid: (ownerId: string) => boolean;
  readonly isDeployed: (project: string) => boolean;
  readonly healthySinceMs: (domain: Domain) => number | undefined;
}

/** What each new status must have left in the timeline. */
const heralds: Partial<Record<Status, readonly string[]>> = {
  prepared: ["certificate_issued", "certificate_reused"],
  live: ["certificate_issued", "certificate_reused", "recovered", "switched"],
  degraded: ["degraded"],
  abandoned: ["abandoned"],
  removed: ["removed"],
};

export class Rules implements Witness {
  readonly #parts: RulesParts;
  /** Which claim answers for a host, by these books. */
  readonly #served = new Map<string, { domainId: string; certificateId: string }>();
  readonly #clicks = new Map<string, number[]>();
  readonly #events: EventBooks;

  constructor(parts: RulesParts) {
    this.#parts = parts;
    this.#events = new EventBooks(parts.tally);
  }

  added(domain: Domain, others: readonly Account[]): void {
    const { tally, zones } = this.#parts;
    zones.follow(domain.host, domain.target);
    if (domain.ownership.kind !== "proof_needed") {
      tally.violated("nobody holds a name before DNS shows that it is theirs", domain.host);
    }
    const shared = others.some(
      ({ domain: { ownerId, target } }) => target === domain.target && ownerId !== domain.ownerId,
    );
    if (shared) tally.violated("no two owners have the same target", domain.host);
  }

  async changed(account: Account, change: DomainChange): Promise<void> {
    const { tally } = this.#parts;
    const { domain: before } = account;
    const { domain: after } = change;
    const checked = after.dns.checkedAtMs !== before.dns.checkedAtMs;
    if (checked) tally.count(`check: ${after.dns.lastCheck}`);
    this.#judgeDns(account, change);
    this.#judgeOwnership(account, change);
    this.#judgeCertificate(change);
    this.#judgeClicks(before, after);
    this.#judgeTimeline(before, change);
    this.#keepBooks(account, change);
    this.#judgeEvents(before, after);
    const loser = change.displaces?.domain;
    const lost = loser && this.#parts.store.accounts.get(loser.id);
    if (loser && lost) this.#judgeEvents(lost.domain, loser);
    if (change.dueAtMs === undefined || !Number.isSafeInteger(change.dueAtMs)) {
      tally.violated("every domain has its next appointment", `${after.host}: ${change.dueAtMs}`);
    }
    await this.judgeServing(after.host);
  }

  #judgeEvents(before: Domain, after: Domain): void {
    const { time, isPaid, isDeployed } = this.#parts;
    const standing = { paid: isPaid(after.ownerId), deployed: isDeployed(after.project) };
    this.#events.changed(before, after, standing, time.now());
  }

  #judgeDns({ domain: before, takenAtMs }: Account, { domain: after }: DomainChange): void {
    const { tally, zones, sightings } = this.#parts;
    if (hasEnded(before)) return;
    if (after.dns.failures > before.dns.failures) {
      const rightSinceMs = zones.rightSinceMs(after);
      if (rightSinceMs !== undefined && rightSinceMs < takenAtMs) {
        tally.violated("what is right is never called wrong", after.host);
      }
    }
    const newlyRight =
      after.dns.lastCheck === "right" && after.dns.checkedAtMs !== before.dns.checkedAtMs;
    const seenAtMs = Math.max(sightings.rightAtMs(after) ?? 0, this.#challengeAtMs(before));
    if (newlyRight && seenAtMs < takenAtMs) {
      tally.violated("only what was seen to be right is called right", after.host);
    }
    const unclear =
      after.dns.lastCheck === "unknown" && before.dns.checkedAtMs !== after.dns.checkedAtMs;
    if (unclear && after.dns.verdict !== before.dns.verdict) {
      tally.violated("silence and failure change no verdict", after.host);
    }
  }

  #judgeOwnership(
    { domain: before, takenAtMs }: Account,
    { domain: after, displaces }: DomainChange,
  ): void {
    const { tally, sightings, store } = this.#parts;
    const { kind } = after.ownership;
    // Its owner may take what was given up off the list.
    const ends = kind === before.ownership.kind || kind === "removed";
    if (hasEnded(before) && (!ends || isServed(after))) {
      tally.violated("what has ended stays ended", after.host);
    }
    const proven = before.ownership.kind === "proof_needed" && after.ownership.kind === "held";
    if (displaces !== undefined && !proven) {
      tally.violated("nobody is displaced without a proof", after.host);
    }
    if (displaces !== undefined && displaces.entries.length === 0) {
      tally.violated("who is displaced is told", after.host);
    }
    if (!proven) return;
    tally.count("names proven");
    const held = store
      .claims(after.host)
      .filter(({ domain: { id, ownership } }) => id !== after.id && ownership.kind === "held");
    if (held.some(({ domain }) => domain.id !== displaces?.domain.id)) {
      tally.violated("a name is held once", after.host);
    }
    const { fullName, value } = proofFor(after.host, after.target);
    const seenAtMs = isApexHost(after.host) ? undefined : sightings.rightAtMs(after);
    const proofAtMs = sightings.textAtMs(fullName, value) ?? 0;
    const provenAtMs = Math.max(seenAtMs ?? 0, proofAtMs, this.#challengeAtMs(before));
    if (provenAtMs < takenAtMs) tally.violated("a name is proven by its DNS", after.host);
  }

  /** When the TXT record that an order waits for was last seen. */
  #challengeAtMs({ host, certificate }: Domain): number {
    const { challenge = "" } = certificate.issuance?.order ?? {};
    return this.#parts.sightings.textAtMs(challengeNameOf(host), challenge) ?? 0;
  }

  #judgeCertificate(change: DomainChange): void {
    const { tally, authority, vault } = this.#parts;
    if (JSON.stringify(change).includes(keyMark)) {
      tally.violated("no private key is stored in the clear", change.domain.host);
    }
    const { certificate } = change;
    if (certificate === undefined) return;
    tally.count("certificates");
    const issued = authority.issued.get(certificate.chainPem);
    if (issued?.host !== certificate.host) {
      tally.violated("only what the authority issued is stored", certificate.host);
    } else issued.stored = true;
    const opened = () =>
      vault.open(certificate.sealedKey, certificateSeal(certificate.host, certificate.id));
    try {
      if (opened() === issued?.privateKeyPem) return;
    } catch {}
    tally.violated("the sealed key is that of the certificate", certificate.host);
  }

  #judgeClicks(before: Domain, after: Domain): void {
    const at = after.clicksAtMs.at(-1);
    if (at === undefined || at === before.clicksAtMs.at(-1)) return;
    const { tally } = this.#parts;
    const clicks = this.#clicks.get(after.id) ?? [];
    tally.count("verify clicks taken");
    if (at - (clicks.at(-1) ?? 0) < 10_000) tally.violated("a click each ten seconds", after.host);
    const lastHour = clicks.filter((each) => at - each < 3_600_000);
    if (lastHour.length >= 20) tally.violated("twenty clicks an hour", after.host);
    this.#clicks.set(after.id, [...lastHour, at]);
  }

  #judgeTimeline(before: Domain, { domain: after, entries }: DomainChange): void {
    const { tally, time, isPaid, isDeployed } = this.#parts;
    const standing = { paid: isPaid(after.ownerId), deployed: isDeployed(after.project) };
    const was = statusOf(before, standing, time.now());
    const is = statusOf(after, standing, time.now());
    if (was === is) return;
    tally.count(`status: ${is}`);
    tally.trace("status", after.host, is);
    const heralded = heralds[is];
    const events = entries.map(({ event }) => event);
    if (is === "live" && was === "renewal_failing") return;
    if (heralded !== undefined && !heralded.some((event) => events.includes(event))) {
      tally.violated(
        "the timeline tells each status",
        `${after.host}: ${was} to ${is}, ${events.join()}`,
      );
    }
  }

  #keepBooks(
    { domain: before }: Account,
    { domain: after, certificate, displaces }: DomainChange,
  ): void {
    const { tally, sightings, store, zones } = this.#parts;
    const { host, id } = after;
    if (displaces !== undefined) this.#served.delete(host);
    const served = this.#served.get(host);
    if (hasEnded(after)) {
      if (served?.domainId === id) this.#served.delete(host);
      return;
    }
    const { held } = after.certificate;
    if (held === undefined || held.id === served?.certificateId) return;
    if (served !== undefined && served.domainId !== id) {
      tally.violated("one claim at a time is served", host);
    }
    const seenAtMs = Math.max(sightings.rightAtMs(after) ?? 0, this.#challengeAtMs(before));
    const right = seenAtMs >= after.addedAtMs && after.dns.verdict === "right";
    // What is prepared may have a certificate from before as soon as it is proven.
    if (!right && !(after.validation !== undefined && after.ownership.kind === "held")) {
      tally.violated("nothing is certified before it was verified", host);
    }
    const zone = zones.of(host);
    const wild = zone?.wildcard?.cname === after.target && host !== zone.name;
    if (wild) tally.count("certificates below a wildcard");
    const known = certificate?.id === held.id || store.certificateFor(host, 0) !== undefined;
    if (!known) tally.violated("only a stored certificate is served", host);
    if (before.certificate.held !== undefined) tally.count("certificates renewed");
    this.#served.set(host, { domainId: id, certificateId: held.id });
    this.#parts.time.at(held.notAfterMs, () => this.#judgeExpiry(host, held.id));
  }

  #judgeExpiry(host: string, certificateId: string): void {
    const { tally, time, store, authority, healthySinceMs } = this.#parts;
    const served = this.#served.get(host);
    const claim = store.accounts.get(served?.domainId ?? "")?.domain;
    if (served?.certificateId !== certificateId || claim === undefined) return;
    tally.count("certificates that ran out");
    const sinceMs = healthySinceMs(claim);
    const healthy = sinceMs !== undefined && time.now() - sinceMs > repairMsMax;
    if (healthy && !authority.isSpent(host, repairMsMax)) {
      tally.violated("what is right is renewed before it runs out", host);
    }
  }

  /** Whether the edges answer for a host exactly when they should. */
  async judgeServing(host: string): Promise<void> {
    const { edgeView, tally, store, isPaid, isDeployed } = this.#parts;
    const route = await edgeView.route(host);
    const certificate = await edgeView.certificate(host);
    const served = this.#served.get(host);
    const claim = served && store.accounts.get(served.domainId)?.domain;
    const allowed = claim !== undefined && isPaid(claim.ownerId) && isDeployed(claim.project);
    tally.count("looks at what is served");
    // Visitors of a suspended site are told so, which takes its certificate.
    if ((!allowed && route !== undefined) || (claim === undefined && certificate !== undefined)) {
      tally.violated("nothing is served that must not be", host);
    }
    if (allowed && (route === undefined || certificate?.id !== served?.certificateId)) {
      tally.violated("what is certified is served", `${host}: ${certificate?.id}`);
    }
    if (allowed && route?.kind === "site" && route.project !== claim.project) {
      tally.violated("a host shows its own project", host);
    }
  }

  get servedHosts(): readonly string[] {
    return [...this.#served.keys()];
  }
}

export const hasEnded = ({ ownership }: Domain) =>
  ownership.kind === "removed" || ownership.kind === "abandoned";
