/** The owners: what each of them does to their names, here and at their DNS provider. */

import { Problem } from "../../src/core/problems.ts";
import { challengeNameOf } from "../../src/hosting/domains/dnsValidation.ts";
import type { DomainService } from "../../src/hosting/domains/domainService.ts";
import { proofFor } from "../../src/hosting/domains/finding.ts";
import type { SiteStore } from "../../src/hosting/sites/sites.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import {
  foreignCaa,
  isApexHost,
  mistakes,
  permittingCaa,
  rightRecord,
  someMistake,
  strangeCaa,
} from "./mistakes.ts";
import type { Rules } from "./rules.ts";
import type { SimulatedAuthority } from "./simulatedAuthority.ts";
import type { Tally } from "./tally.ts";
import type { VirtualTime } from "./virtualTime.ts";
import { StoreFault, type WatchedStore } from "./watchedStore.ts";
import { sitesHost, type Zones } from "./zones.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export interface OwnersParts {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly tally: Tally;
  readonly zones: Zones;
  readonly service: DomainService;
  readonly sites: SiteStore;
  readonly store: WatchedStore;
  /** When the owners have done all that they will do. */
  readonly endMs: number;
  readonly rules: () => Rules;
  readonly authority: SimulatedAuthority;
}

/** One name and the project that it shall belong to. */
export interface Wish {
  readonly host: string;
  readonly ownerId: string;
  readonly project: string;
  /** Whether the owner never gets DNS right. */
  readonly hopeless: boolean;
  /** Whether it is one of many that are added at once, all of them right before. */
  readonly together: boolean;
}

/** Some names are in use elsewhere, and their owners want a certificate before they point here. */
function movesHere(host: string): boolean {
  return [...host].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 8 === 5;
}

export class Owners {
  readonly #parts: OwnersParts;
  readonly #paidSinceMs = new Map<string, number>();
  readonly #deployedSinceMs = new Map<string, number>();
  readonly #deployments = new Map<string, string>();
  readonly wishes: Wish[] = [];

  constructor(parts: OwnersParts) {
    this.#parts = parts;
  }

  isPaid = (ownerId: string) => this.#paidSinceMs.has(ownerId);
  isDeployed = (project: string) => this.#deployedSinceMs.has(project);
  paidSinceMs = (ownerId: string) => this.#paidSinceMs.get(ownerId);
  deployedSinceMs = (project: string) => this.#deployedSinceMs.get(project);

  async addOwner(ownerId: string, project: string): Promise<void> {
    const { sites, time } = this.#parts;
    const nowMs = time.now();
    if ((await sites.owner(ownerId)) === undefined) {
      await sites.addOwner({ id: ownerId, name: ownerId, plan: "paid" });
      this.#paidSinceMs.set(ownerId, nowMs);
    }
    await sites.addProject({ slug: project, ownerId, nowMs });
    const id = `dep_${project}`;
    await sites.beginDeployment({ id, project, nowMs });
    await sites.buildDeployment(id, nowMs);
    await sites.finishDeployment(id, { fingerprint: id, unless: "shown", nowMs });
    this.#deployments.set(project, id);
    this.#deployedSinceMs.set(project, nowMs);
  }

  /** Everything that will happen to a name, drawn at once. */
  live(wish: Wish): void {
    const { time, random: all, endMs } = this.#parts;
    const random = all.fork(wish.host);
    this.wishes.push(wish);
    const spanMs = endMs - time.now();
    if (wish.together) {
      time.at(time.now() + 3 * hour + random.between(0, 2 * second), async () => {
        await this.#add(wish);
        this.#point(wish);
      });
      return;
    }
    const addAtMs = time.now() + random.between(0, Math.min(spanMs * 0.6, 60 * hour));
    time.at(addAtMs, () => void this.#add(wish));
    const rightAtMs = this.#pointIt(wish, addAtMs, random);
    this.#clickNow(wish, addAtMs, rightAtMs, random);
    this.#proveIt(wish, rightAtMs, random);
    if (movesHere(wish.host)) this.#letValidate(wish, addAtMs, random.fork("challenge"));
    this.#haveTroubles(wish, rightAtMs, random);
    this.#changeMinds(wish, addAtMs, random);
    if (random.happens(0.06)) this.#meetRival(wish, addAtMs, random);
  }

  #pointIt(wish: Wish, addAtMs: number, random: SeededRandom): number {
    const { zones, tally } = this.#parts;
    const { host } = wish;
    if (random.happens(0.1)) zones.write(host, { a: ["203.0.113.9"] });
    if (random.happens(0.1)) {
      // Who points it here before they add it points to nobody's target.
      this.#then(addAtMs - 10 * minute, () => zones.write(host, rightRecord(host, sitesHost)));
    }
    let atMs = addAtMs + random.around(8 * minute);
    const mistakesMade = random.oneOf([0, 0, 0, 0, 1, 1, 2, 3]);
    for (let made = 0; made < mistakesMade || (wish.hopeless && made < 4); made++) {
      const mistake = someMistake(random);
      this.#then(atMs, () => {
        tally.count(`mistake: ${mistake}`);
        mistakes[mistake]?.(host, zones, this.#targetOf(wish));
      });
      atMs += 30 * second + random.around(random.happens(0.2) ? 5 * hour : 20 * minute);
    }
    if (!wish.hopeless) this.#then(atMs, () => this.#point(wish));
    return atMs;
  }

  #targetOf({ host, ownerId }: Wish): string {
    const claim = this.#parts.store
      .claims(host)
      .findLast(({ domain }) => domain.ownerId === ownerId);
    return claim?.domain.target ?? sitesHost;
  }

  #prove(wish: Wish): void {
    if (!isApexHost(wish.host)) return;
    const proof = proofFor(wish.host, this.#targetOf(wish));
    this.#parts.zones.write(proof.fullName, { txt: [proof.value] });
  }

  /** A wildcard that was meant to point here takes the place of the record, for the first of its names. */
  #point(wish: Wish): void {
    const { zones } = this.#parts;
    const zone = zones.of(wish.host);
    const right = rightRecord(wish.host, this.#targetOf(wish));
    if (zone?.wildcard?.cname === sitesHost && !isApexHost(wish.host)) {
      zones.writeWildcard(zone, right);
      mistakes["nothing at all"]?.(wish.host, zones, "");
    } else zones.write(wish.host, right);
  }

  /** Who is asked for a proof looks now and then. */
  #proveIt(wish: Wish, rightAtMs: number, random: SeededRandom): void {
    const { store } = this.#parts;
    for (let atMs = rightAtMs, looks = 0; looks < 4; looks++) {
      atMs += random.around(looks === 0 ? 20 * minute : 4 * hour);
      this.#then(atMs, () => {
        const claim = store
          .claims(wish.host)
          .findLast(({ domain }) => domain.ownerId === wish.ownerId)?.domain;
        if (wish.hopeless || claim?.ownership.kind !== "proof_needed") return;
        this.#prove(wish);
      });
    }
  }

  /** Who prepares a move creates the record of the order that waits for it, sooner or later. */
  #letValidate({ host, ownerId }: Wish, addAtMs: number, random: SeededRandom): void {
    const { zones, store, tally } = this.#parts;
    for (let atMs = addAtMs, looks = 0; looks < 6; looks++) {
      atMs += random.around(looks < 2 ? 3 * minute : 4 * hour);
      this.#then(atMs, () => {
        const claim = store.claims(host).findLast(({ domain }) => domain.ownerId === ownerId);
        const { challenge } = claim?.domain.certificate.issuance?.order ?? {};
        if (!challenge) return;
        tally.count("challenges in DNS");
        zones.write(challengeNameOf(host), { txt: [challenge] });
      });
    }
  }

  #clickNow(wish: Wish, addAtMs: number, rightAtMs: number, random: SeededRandom): void {
    for (let clicks = random.oneOf([0, 0, 1, 2, 4]); clicks > 0; clicks--) {
      this.#then(rightAtMs + random.around(30 * minute), () => void this.#verify(wish));
    }
    if (!random.happens(0.03)) return;
    const fromMs = random.happens(0.5) ? addAtMs : rightAtMs;
    const everyMs = random.oneOf([3 * second, 11 * second, 40 * second, 2 * minute]);
    for (let click = 1; click <= 40; click++) {
      this.#then(fromMs + click * everyMs, () => void this.#verify(wish));
    }
  }

  #haveTroubles(wish: Wish, rightAtMs: number, random: SeededRandom): void {
    const { zones, tally, authority } = this.#parts;
    const { host } = wish;
    if (random.happens(0.03)) {
      authority.hinder(host, rightAtMs + 3 * hour);
      // Who does not know what stands in the way asks again and again.
      for (let click = 1; click <= 60; click++) {
        this.#then(rightAtMs + click * 3 * minute, () => void this.#verify(wish));
      }
    }
    const zone = zones.of(host)?.name ?? host;
    if (random.happens(0.08)) {
      const at = random.happens(0.5) || isApexHost(host) ? zone : host;
      zones.write(at, { caa: random.oneOf([foreignCaa, foreignCaa, strangeCaa, permittingCaa]) });
      tally.count("mistake: CAA");
      if (random.happens(0.8)) {
        const fixedAtMs = rightAtMs + random.around(3 * hour);
        const fixed = random.happens(0.5) ? permittingCaa : undefined;
        this.#then(fixedAtMs, () => zones.write(at, { caa: fixed }));
      }
    }
    if (random.happens(0.06)) {
      const driftAtMs = rightAtMs + random.around(8 * hour);
      this.#then(driftAtMs, () => {
        tally.count("mistake: drift");
        mistakes[someMistake(random)]?.(host, zones, this.#targetOf(wish));
      });
      if (random.happens(0.8)) {
        const fixedAtMs = driftAtMs + 5 * minute + random.around(4 * hour);
        this.#then(fixedAtMs, () => this.#point(wish));
      }
    }
  }

  #changeMinds(wish: Wish, addAtMs: number, random: SeededRandom): void {
    const { ownerId, project } = wish;
    if (random.happens(0.07)) {
      let atMs = addAtMs + random.around(random.happens(0.4) ? 10 * minute : 8 * hour);
      for (let times = random.oneOf([1, 1, 1, 3]); times > 0; times--) {
        this.#then(atMs, () => void this.#remove(wish));
        atMs += second + random.around(random.happens(0.5) ? 30 * second : 5 * hour);
        if (random.happens(0.6)) this.#then(atMs, () => void this.#add(wish));
        atMs += random.around(20 * minute);
      }
      if (random.happens(0.3)) this.#meetRival(wish, atMs, random);
    }
    if (random.happens(0.04)) {
      const atMs = addAtMs + random.around(10 * hour);
      this.#then(atMs, () => void this.#setPlan(ownerId, false));
      if (random.happens(0.8)) {
        this.#then(atMs + random.around(4 * hour), () => void this.#setPlan(ownerId, true));
      }
    }
    if (random.happens(0.03)) {
      const atMs = addAtMs + random.around(10 * hour);
      this.#then(atMs, () => void this.#publish(project, false));
      if (random.happens(0.8)) {
        this.#then(atMs + random.around(4 * hour), () => void this.#publish(project, true));
      }
    }
    if (random.happens(0.1)) {
      this.#then(addAtMs + random.around(9 * hour), () => void this.#route(wish, random));
    }
  }

  /** Somebody else wants the name: a thief, or who has bought it. */
  #meetRival(wish: Wish, addAtMs: number, random: SeededRandom): void {
    const rival = { ...wish, ownerId: `rival-${wish.ownerId}`, project: `rival-${wish.project}` };
    const atMs = addAtMs + random.around(6 * hour);
    const buyer = random.happens(0.5);
    this.#then(atMs, async () => {
      await this.addOwner(rival.ownerId, rival.project);
      await this.#add(rival);
      if (!buyer) return;
      this.#then(this.#parts.time.now() + random.around(30 * minute), () => {
        this.#prove(rival);
        this.#point(rival);
      });
    });
    this.#then(atMs + random.around(hour), () => void this.#verify(rival));
  }

  #then(atMs: number, action: () => void): void {
    if (atMs < this.#parts.endMs) this.#parts.time.at(atMs, action);
  }

  async #ask(what: string, host: string, ask: () => Promise<unknown>): Promise<boolean> {
    const { tally } = this.#parts;
    try {
      await ask();
      tally.trace(what, host);
      tally.count(`service: ${what}`);
      return true;
    } catch (cause) {
      if (cause instanceof StoreFault) return false;
      if (!(cause instanceof Problem)) {
        tally.violated("the service answers or refuses", `${what} ${host}: ${cause}`);
        return false;
      }
      tally.trace(what, host, cause.code);
      tally.count(`service: ${what} refused, ${cause.code}`);
      return false;
    }
  }

  async #add({ host, ownerId, project }: Wish): Promise<void> {
    const how = movesHere(host) ? "prepared" : "directly";
    await this.#ask("add", host, () =>
      this.#parts.service.add({ kind: "owner", id: ownerId }, project, host, how),
    );
  }

  async #verify({ host, ownerId, project }: Wish): Promise<void> {
    await this.#ask("verify", host, () =>
      this.#parts.service.verify({ kind: "owner", id: ownerId }, project, host),
    );
  }

  async #remove({ host, ownerId, project }: Wish): Promise<void> {
    const { service, store, tally } = this.#parts;
    const removed = await this.#ask("remove", host, () =>
      service.remove({ kind: "owner", id: ownerId }, project, host, true),
    );
    const open = store
      .claims(host)
      .some(({ domain }) => domain.project === project && domain.ownership.kind === "held");
    if (removed && open) tally.violated("what is removed is gone", host);
    await this.#parts.rules().judgeServing(host);
  }

  async #setPlan(ownerId: string, paid: boolean): Promise<void> {
    const { sites, time, tally } = this.#parts;
    await time.standStillFor(sites.setPlan(ownerId, paid ? "paid" : "free"));
    tally.count(paid ? "plans restored" : "plans lapsed");
    if (!paid) this.#paidSinceMs.delete(ownerId);
    else if (!this.isPaid(ownerId)) this.#paidSinceMs.set(ownerId, time.now());
    await this.#judgeAllOf((wish) => wish.ownerId === ownerId);
  }

  async #publish(project: string, shown: boolean): Promise<void> {
    const { sites, time, tally } = this.#parts;
    const deployment = this.#deployments.get(project) ?? "";
    await time.standStillFor<unknown>(
      shown ? sites.rollBack(project, deployment) : sites.unpublish(project),
    );
    tally.count(shown ? "projects republished" : "projects unpublished");
    if (!shown) this.#deployedSinceMs.delete(project);
    else if (!this.isDeployed(project)) this.#deployedSinceMs.set(project, time.now());
    await this.#judgeAllOf((wish) => wish.project === project);
  }

  async #judgeAllOf(concerned: (wish: Wish) => boolean): Promise<void> {
    const rules = this.#parts.rules();
    for (const { host } of this.wishes.filter(concerned)) await rules.judgeServing(host);
  }

  async #route({ ownerId, project }: Wish, random: SeededRandom): Promise<void> {
    const { service, store } = this.#parts;
    const actor = { kind: "owner", id: ownerId } as const;
    await this.#ask("route", project, async () => {
      const hosts = (await store.list(project)).map(({ domain }) => domain.host);
      const primary = random.oneOf(hosts);
      const redirects = hosts
        .filter((host) => host !== primary && random.happens(0.5))
        .map((from) => ({ from, to: primary, status: 308 }));
      return service.applyRouting(actor, project, { primary: primary ?? null, redirects });
    });
  }
}
