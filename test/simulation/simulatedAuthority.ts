/** A certificate authority that looks for itself, keeps the limits of a public one, and has its days. */
import { generateKeyPairSync } from "node:crypto";
import type {
  CertificateAuthority,
  Challenge,
  OrderOutcome,
  OrderRequest,
  RefusalReason,
  RenewalWindow,
  Validation,
} from "../../src/hosting/domains/certificateAuthority.ts";
import type { EdgeView } from "../../src/hosting/domains/edgeView.ts";
import { registrableOf, withParents } from "../../src/hosting/domains/hostName.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { certificateText } from "./certificateText.ts";
import type { Life } from "./life.ts";
import type { Sightings } from "./sightings.ts";
import type { SimulatedDns } from "./simulatedDns.ts";
import {
  challengeOf,
  type Failure,
  type Objection,
  reached,
  type SimulatedOrder,
  SimulatedOrders,
  unreachable,
} from "./simulatedOrders.ts";
import type { Tally } from "./tally.ts";
import type { VirtualTime } from "./virtualTime.ts";
import type { WatchedStore } from "./watchedStore.ts";
import { caaAllows, isAnswered, reachesUs, type Zones } from "./zones.ts";

const hour = 3_600_000;
const day = 24 * hour;
const week = 7 * day;

/** What a public authority allows. */
const failuresPerHourMax = 5;
const certificatesPerHostMax = 5;
const certificatesPerRegistrableMax = 50;
/** What we allow ourselves of it. */
const ourFailuresPerHourMax = 4;
const ourCertificatesPerHostMax = 4;
const ourCertificatesPerRegistrableMax = 45;
/** An order follows at once upon a look at DNS, or upon one that is less than a minute old. */
const lookAgeMaxMs = 4 * 60_000;

export interface Issued {
  readonly host: string;
  readonly privateKeyPem: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly renewalName: string;
  stored: boolean;
  window: { startMs: number; endMs: number };
}

interface UnderWay {
  readonly life: Life;
  readonly pauses: number;
}

export interface AuthorityParts {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly tally: Tally;
  readonly zones: Zones;
  readonly dns: SimulatedDns;
  readonly sightings: Sightings;
  readonly edgeView: EdgeView;
  readonly store: WatchedStore;
}

export class SimulatedAuthority {
  readonly #parts: AuthorityParts;
  readonly #publicKey: Uint8Array;
  readonly #failures = new Map<string, Failure[]>();
  readonly #certificates = new Map<string, { host: string; atMs: number }[]>();
  readonly #underWay = new Map<string, Set<UnderWay>>();
  readonly issued = new Map<string, Issued>();
  readonly #byRenewalName = new Map<string, Issued>();
  readonly #orders: SimulatedOrders;
  readonly #hinderedUntilMs = new Map<string, number>();
  #serial = 0;
  downUntilMs = 0;
  calm = false;

  constructor(parts: AuthorityParts) {
    this.#parts = parts;
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#publicKey = publicKey.export({ type: "spki", format: "der" });
    const isStored = (chainPem: string) => this.issued.get(chainPem)?.stored === true;
    this.#orders = new SimulatedOrders(parts.tally, parts.store, isStored);
  }

  /** Something that only the authority meets stands before a host, such as a wall against its country. */
  hinder(host: string, untilMs: number): void {
    this.#hinderedUntilMs.set(host, untilMs);
  }

  renewalNameOf = (chainPem: string): string | undefined => this.issued.get(chainPem)?.renewalName;

  /** As one worker reaches it. */
  for(life: Life): CertificateAuthority {
    const { time } = this.#parts;
    return {
      reach: async () => [time.now() < this.downUntilMs ? unreachable : reached],
      order: (request) => this.#order(request, life),
      renewalWindow: async (name) => this.#renewalWindow(name),
    };
  }

  certificatesWithin(host: string, windowMs: number): { host: number; registrable: number } {
    const since = this.#parts.time.now() - windowMs;
    const all = (this.#certificates.get(registrableOf(host) ?? host) ?? []).filter(
      ({ atMs }) => atMs > since,
    );
    return { host: all.filter((each) => each.host === host).length, registrable: all.length };
  }

  /** Whether our own budget for a name was used up at some time of late. */
  isSpent(host: string, ofLateMs: number): boolean {
    const spent = this.certificatesWithin(host, week + ofLateMs);
    return (
      spent.host >= ourCertificatesPerHostMax ||
      spent.registrable >= ourCertificatesPerRegistrableMax
    );
  }

  async #order(request: OrderRequest, life: Life): Promise<OrderOutcome> {
    const { tally } = this.#parts;
    const { host } = request;
    tally.count("orders");
    tally.trace("order", host, life.name);
    this.#judgeOrder(request);
    const mark = { life, pauses: life.pauses };
    const others = this.#underWay.get(host) ?? new Set();
    if ([...others].some(isWellAndAlive)) tally.violated("one order at a time for a name", host);
    this.#underWay.set(host, others.add(mark));
    try {
      const outcome = await this.#process(request, mark);
      const said = outcome.kind === "issued" ? "issued" : `refused: ${outcome.refusal.reason}`;
      tally.count(`order ${said}`);
      tally.trace("order", host, said);
      return outcome;
    } finally {
      others.delete(mark);
    }
  }

  /** Nobody may order what they have not seen to be right and permitted. */
  #judgeOrder({ host, validation }: OrderRequest): void {
    const { tally, sightings, time, store } = this.#parts;
    const seen = store.claims(host).map(({ domain }) => sightings.rightAtMs(domain) ?? 0);
    const rightAtMs = Math.max(0, ...seen);
    // For a TXT record the order comes first: it decides the value.
    if (validation !== "dns-01" && time.now() - rightAtMs > lookAgeMaxMs) {
      tally.violated("no order without right DNS", `${host}, last right ${rightAtMs}`);
    }
    const caa = sightings.caaOf(withParents(host));
    if (
      time.now() >= this.downUntilMs &&
      (caa === "blocked" || caa === "unknown" || caa === undefined)
    ) {
      tally.violated("no order past CAA", `${host}, CAA was ${caa}`);
    }
  }

  async #process(request: OrderRequest, mark: UnderWay): Promise<OrderOutcome> {
    const { time, random, tally } = this.#parts;
    const { host, signal } = request;
    const step = async (delayMs: number) => {
      await time.pass(this.calm ? Math.min(delayMs, 1_000) : delayMs);
      await mark.life.going();
    };
    await step(random.between(100, 2_000));
    if (signal.aborted) return refused("abandoned", "the order was left");
    if (time.now() < this.downUntilMs) return refused("unavailable", "503");
    const resumed = this.#orders.resumed(request);
    const trouble = this.#trouble();
    if (trouble?.refusal.reason === "policy" && resumed !== undefined) {
      this.#orders.over(resumed, "over");
    }
    if (trouble !== undefined) return trouble;
    const limit = resumed === undefined ? this.#limitOf(host) : undefined;
    if (limit !== undefined) return limit;
    const token = Buffer.from(random.bytes(12)).toString("hex");
    const order = resumed ?? (await this.#orders.place(request, token));
    if (order === undefined) return refused("abandoned", "the order was not stored");
    if (order.state === "over") return refused("authorization_failed", "it has failed before");
    if (order.state === "pending") {
      const objection = await this.#authorize(request, order, mark, step);
      if (objection !== undefined) return objection;
    }
    await mark.life.going();
    if (signal.aborted) return refused("abandoned", "the order was left");
    if (!this.calm && random.happens(0.01)) {
      tally.count("fault: authority failed at the end");
      return refused("unavailable", "500 while finalizing");
    }
    return this.#issue(order, step);
  }

  async #authorize(
    request: OrderRequest,
    order: SimulatedOrder,
    mark: UnderWay,
    step: (delayMs: number) => Promise<void>,
  ): Promise<OrderOutcome | undefined> {
    const { host, signal } = request;
    try {
      await request.publish(challengeOf(order));
    } catch {
      return refused("abandoned", "the challenge was not published");
    }
    if (signal.aborted) return refused("abandoned", "the order was left");
    order.validation ??= this.#look(order, request.validation);
    const objection = await order.validation;
    if (objection === undefined) return undefined;
    await step(500);
    objection.heard = isWellAndAlive(mark) && !signal.aborted && this.#parts.store.faultRate === 0;
    this.#judgeFailures(host);
    // The worker that was told to leave meanwhile hears nothing of it, but the failure counts.
    if (signal.aborted) return refused("abandoned", "the order was left");
    return refused(objection.reason, objection.detail);
  }

  /** Once for each order, and to the end, whatever becomes of who asked for it. */
  async #look(order: SimulatedOrder, by?: Validation): Promise<Failure | undefined> {
    const { time, random } = this.#parts;
    await time.pass(
      random.happens(0.05) ? random.between(20_000, 300_000) : random.between(500, 8_000),
    );
    const objection = await this.#validate(challengeOf(order), by);
    if (objection === undefined) {
      // It may have been refused to another worker meanwhile.
      if (order.state === "pending") order.state = "validated";
      return undefined;
    }
    this.#orders.over(order, "over");
    return this.#countFailure(order.host, objection);
  }

  #trouble(): Refused | undefined {
    const { random, tally, time } = this.#parts;
    if (this.calm) return undefined;
    if (random.happens(0.01)) {
      tally.count("fault: authority 429");
      return refused("rate_limited", "too busy", time.now() + random.between(60_000, hour));
    }
    if (random.happens(0.015)) {
      tally.count("fault: authority nonce");
      return refused("unavailable", "bad nonce");
    }
    if (random.happens(0.003)) {
      tally.count("fault: authority policy");
      return refused("policy", "this name is not for now");
    }
    return undefined;
  }

  #limitOf(host: string): Refused | undefined {
    const { time, tally } = this.#parts;
    const failures = this.#failuresOf(host);
    const { host: ofHost, registrable } = this.certificatesWithin(host, week);
    const over =
      failures.length >= failuresPerHourMax
        ? "failed authorizations"
        : ofHost >= certificatesPerHostMax
          ? "certificates of this name"
          : registrable + this.#orders.open(host) >= certificatesPerRegistrableMax
            ? "certificates of this registered domain"
            : undefined;
    if (over === undefined) return undefined;
    // Of what failed for a worker that did not live to be told, nobody could have known.
    if (failures.some(({ heard }) => !heard)) tally.count("limits met unknowingly");
    else tally.violated("the authority never has to limit us", `${host}: ${over}`);
    return refused("rate_limited", `too many ${over}`, time.now() + hour);
  }

  #failuresOf(host: string): Failure[] {
    const nowMs = this.#parts.time.now();
    return (this.#failures.get(host) ?? []).filter(({ atMs }) => nowMs - atMs < hour);
  }

  #countFailure(host: string, objection: Objection): Failure {
    const failure = { ...objection, atMs: this.#parts.time.now(), heard: false };
    this.#failures.set(host, [...this.#failuresOf(host), failure]);
    return failure;
  }

  #judgeFailures(host: string): void {
    const heard = this.#failuresOf(host).filter((failure) => failure.heard);
    if (heard.length <= ourFailuresPerHourMax) return;
    const rule = "at most four failed authorizations an hour";
    this.#parts.tally.violated(rule, `${host}: ${heard.length}`);
  }

  async #validate(challenge: Challenge, by?: Validation): Promise<Objection | undefined> {
    const { host, token, keyAuthorization } = challenge;
    const { zones, dns, random, edgeView, time } = this.#parts;
    const zone = zones.of(host);
    if (zone === undefined) return { reason: "authorization_failed", detail: "NXDOMAIN" };
    for (let perspective = 0; perspective < 3; perspective++) {
      const server = random.oneOf(zone.servers.filter(({ lame }) => !lame));
      if ((await dns.outageOf(zone, server)) !== undefined) {
        return { reason: "authorization_failed", detail: "SERVFAIL" };
      }
      if (!caaAllows(server, host, zone.name)) return { reason: "caa", detail: "CAA forbids" };
      const ours = by === "dns-01" ? isAnswered(server, challenge) : reachesUs(zone, server, host);
      if (!ours) return { reason: "authorization_failed", detail: "somebody else answered" };
    }
    if (by === "dns-01") return undefined;
    const hindered = time.now() < (this.#hinderedUntilMs.get(host) ?? 0);
    if (!this.calm && (hindered || random.happens(0.02))) {
      this.#parts.tally.count("fault: authority could not connect");
      return { reason: "authorization_failed", detail: "connection refused" };
    }
    const answer = await edgeView.challenge(host, token, time.now());
    return answer === keyAuthorization
      ? undefined
      : { reason: "authorization_failed", detail: "the answer was another" };
  }

  /** The one certificate of an order, however often it is asked for. */
  async #issue(
    order: SimulatedOrder,
    step: (delayMs: number) => Promise<void>,
  ): Promise<OrderOutcome> {
    if (order.state === "over") return refused("policy", "the order was refused before");
    order.chainPem ??= this.#certify(order);
    this.#orders.over(order, "issued");
    await step(this.#parts.random.between(100, 3_000));
    const { chainPem, privateKeyPem } = order;
    return { kind: "issued", chainPem, privateKeyPem, directory: reached.directory };
  }

  #certify({ host, privateKeyPem }: SimulatedOrder): string {
    const { time, random } = this.#parts;
    // To the second, and a second short of the days, as public authorities have it.
    const notBeforeMs = Math.floor((time.now() - hour) / 1000) * 1000;
    const lifeMs = (livesShortly(host) ? 6 * day : 90 * day) - 1000;
    const notAfterMs = notBeforeMs + lifeMs;
    const serial = ++this.#serial;
    const renewalName = `renewal-${serial}`;
    const issuer = "Simulated Authority";
    const { issued } = this;
    const words = { host, issuer, serial, notBeforeMs, notAfterMs, publicKey: this.#publicKey };
    const chainPem = certificateText(words);
    const shareLeft = lifeMs < 10 * day ? 0.5 : 1 / 3;
    const middleMs = notAfterMs - lifeMs * shareLeft;
    const window = { startMs: Math.round(middleMs - lifeMs / 30), endMs: Math.round(middleMs) };
    if (!this.calm && random.happens(0.03)) {
      // It wants this one replaced soon, as after a mishap of its own.
      window.startMs = time.now() + random.between(-hour, 10 * hour);
      window.endMs = window.startMs + 12 * hour;
    }
    const times = { notBeforeMs, notAfterMs, window };
    const entry = { host, privateKeyPem, renewalName, stored: false, ...times };
    issued.set(chainPem, entry);
    this.#byRenewalName.set(renewalName, entry);
    const registrable = registrableOf(host) ?? host;
    const counted = this.#certificates.get(registrable) ?? [];
    this.#certificates.set(registrable, [...counted, { host, atMs: time.now() }]);
    return chainPem;
  }

  #renewalWindow(name: string): RenewalWindow {
    const { time } = this.#parts;
    const entry = this.#byRenewalName.get(name);
    if (time.now() < this.downUntilMs) return { kind: "unavailable", detail: "503" };
    if (entry === undefined || name.endsWith("7")) return { kind: "not_offered" };
    return { kind: "window", ...entry.window, askAgainAtMs: time.now() + 6 * hour };
  }
}

/** Some owners have chosen certificates of six days. */
function livesShortly(host: string): boolean {
  return [...host].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 10 < 3;
}

function isWellAndAlive({ life, pauses }: Pick<UnderWay, "life" | "pauses">): boolean {
  return life.isAlive && life.pauses === pauses;
}

type Refused = Extract<OrderOutcome, { kind: "refused" }>;

function refused(reason: RefusalReason, detail: string, retryAtMs?: number): Refused {
  return { kind: "refused", refusal: { reason, detail, retryAtMs } };
}
