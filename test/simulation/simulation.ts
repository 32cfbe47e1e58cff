/** A seeded simulation around the real workers and the real service, with virtual time. */

import { Vault } from "../../src/core/vault.ts";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import { DomainService } from "../../src/hosting/domains/domainService.ts";
import type { DomainStore } from "../../src/hosting/domains/domains.ts";
import type { Edge, EdgeView } from "../../src/hosting/domains/edgeView.ts";
import type { Probe } from "../../src/hosting/domains/preparation.ts";
import type { Resolver } from "../../src/hosting/domains/resolver.ts";
import type { JobContext } from "../../src/hosting/domains/updates.ts";
import { DomainWorker } from "../../src/hosting/domains/worker.ts";
import type { SiteStore } from "../../src/hosting/sites/sites.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { judgeEnd, judgeOutage } from "./ending.ts";
import { Life } from "./life.ts";
import { isApexHost } from "./mistakes.ts";
import { Owners } from "./owners.ts";
import { hasEnded, Rules } from "./rules.ts";
import { Sightings } from "./sightings.ts";
import { SimulatedAuthority } from "./simulatedAuthority.ts";
import { SimulatedDns } from "./simulatedDns.ts";
import { Tally } from "./tally.ts";
import { clockOf, idle, VirtualTime } from "./virtualTime.ts";
import { StoreFault, WatchedStore } from "./watchedStore.ts";
import { authorityName, ourAddresses, sitesHost, Zones } from "./zones.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const startMs = Date.UTC(2030, 0, 7);
const pollMs = 500;

export interface SimulationOptions {
  readonly seed: number;
  readonly domains: number;
  readonly hours: number;
  /** How many of them are below one registered domain, and most of those added at once. */
  readonly family?: number;
  readonly stores: SimulatedStores;
  /** An outage of the authority right after the faults, at whose end everything must go on. */
  readonly outageHours?: number;
  /** One part of the program made worse on purpose, to see that it is noticed. */
  readonly worsen?: Partial<Worsening>;
  /** Ends as soon as this rule was broken. */
  readonly untilBroken?: string;
  readonly onTrace?: (line: string) => void;
}

export interface SimulatedStores {
  readonly sites: SiteStore;
  readonly domains: DomainStore;
  readonly edgeView: EdgeView;
}

export interface Worsening {
  resolver(resolver: Resolver): Resolver;
  store(store: DomainStore): DomainStore;
  /** The store as the workers and the service see it, beyond the witness. */
  workerStore(store: DomainStore): DomainStore;
  serviceStore(store: DomainStore): DomainStore;
  edgeView(edgeView: EdgeView, stores: SimulatedStores): EdgeView;
  vault(vault: Vault): Vault;
  leaseMs: number;
}

/** After the faults, a time without any: longer than the longest patience, which is a day. */
const calmMs = 27 * hour;
const workersMin = 3;

export interface SimulationReport {
  readonly seed: number;
  readonly traceHash: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly violations: Tally["violations"];
  readonly violationsSeen: number;
  readonly events: number;
}

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const simulation = new Simulation(options);
  await simulation.run();
  const { tally, time } = simulation;
  return {
    seed: options.seed,
    traceHash: tally.traceHash,
    counts: tally.counts,
    violations: tally.violations,
    violationsSeen: tally.violationsSeen,
    events: time.events,
  };
}

export class Simulation {
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly time = new VirtualTime(startMs);
  readonly tally = new Tally(this.time.now);
  readonly zones: Zones;
  readonly dns: SimulatedDns;
  readonly sightings: Sightings;
  readonly store: WatchedStore;
  readonly edgeView: EdgeView;
  readonly authority: SimulatedAuthority;
  readonly owners: Owners;
  readonly rules: Rules;
  readonly #vault: Vault;
  readonly #faultsEndMs: number;
  readonly #workers: {
    life: Life;
    tick: (() => void) | undefined;
    tickAtMs: number | undefined;
  }[] = [];
  readonly #edges = [
    { id: "edge-1", address: "192.0.2.10", httpPort: 80, downUntilMs: 0 },
    { id: "edge-2", address: "192.0.2.11", httpPort: 80, downUntilMs: 0 },
  ];
  #workersStarted = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
    const { stores, worsen, seed, hours } = options;
    const random = new SeededRandom(seed);
    this.#random = random;
    this.#faultsEndMs = startMs + hours * hour;
    const { time, tally } = this;
    if (options.onTrace !== undefined) tally.onTrace = options.onTrace;
    this.zones = new Zones(time, random.fork("zones"));
    this.dns = new SimulatedDns(this.zones, time, random.fork("dns"), tally);
    this.sightings = new Sightings(ourAddresses, authorityName, time.now);
    const inner = worsen?.store?.(stores.domains) ?? stores.domains;
    this.store = new WatchedStore(inner, time, random.fork("store"), tally);
    this.edgeView = worsen?.edgeView?.(stores.edgeView, stores) ?? stores.edgeView;
    const { zones, dns, sightings, edgeView, store } = this;
    const parts = { time, tally, zones, dns, sightings, edgeView };
    this.authority = new SimulatedAuthority({ ...parts, store, random: random.fork("authority") });
    const clock = clockOf(time, random.fork("clock"));
    const trueVault = new Vault("a secret for a simulation", clock);
    this.#vault = worsen?.vault?.(trueVault) ?? trueVault;
    this.owners = new Owners({
      ...parts,
      random: random.fork("owners"),
      service: new DomainService({
        sites: stores.sites,
        domains: worsen?.serviceStore?.(store) ?? store,
        edgeView,
        clock,
        target: sitesHost,
        ownLimits: true,
        reserved: ["platform.example"],
      }),
      sites: stores.sites,
      store,
      authority: this.authority,
      endMs: this.#faultsEndMs,
      rules: () => this.rules,
    });
    const { isPaid, isDeployed } = this.owners;
    const { authority } = this;
    const healthySinceMs = (domain: Domain) => this.healthySinceMs(domain);
    this.rules = new Rules({
      ...parts,
      authority,
      vault: trueVault,
      store,
      isPaid,
      isDeployed,
      healthySinceMs,
    });
    store.witness = this.rules;
    store.onDue = (atMs) => this.#wake(atMs);
  }

  /** Since when nothing of a domain's own has stood in the way of its being live. */
  healthySinceMs(domain: Domain): number | undefined {
    const { host, ownerId, project, ownership, addedAtMs } = domain;
    const { zones, owners } = this;
    const facts = [
      zones.rightSinceMs(domain),
      zones.permittedSinceMs(host),
      owners.paidSinceMs(ownerId),
      owners.deployedSinceMs(project),
    ];
    // What an apex needs besides is only known once it is held.
    if (hasEnded(domain) || (isApexHost(host) && ownership.kind !== "held")) return undefined;
    const known = facts.filter((atMs) => atMs !== undefined);
    return known.length < facts.length ? undefined : Math.max(addedAtMs, ...known);
  }

  async run(): Promise<void> {
    await this.#settle();
    for (let worker = 0; worker < workersMin; worker++) this.#startWorker();
    this.#planFaults();
    const { untilBroken } = this.#options;
    const isOver = () => untilBroken !== undefined && this.tally.of(`VIOLATED: ${untilBroken}`) > 0;
    await this.time.runUntil(this.#faultsEndMs, isOver);
    if (isOver()) return;
    this.#endFaults();
    await judgeOutage(this, this.#faultsEndMs + (this.#options.outageHours ?? 0) * hour);
    await this.time.runUntil(this.authority.downUntilMs + calmMs, isOver);
    await judgeEnd(this, calmMs);
  }

  /** Owners with one name, with a few, and one with more than an authority likes at once. */
  async #settle(): Promise<void> {
    const random = this.#random.fork("settling");
    const { domains, family = Math.min(30, Math.floor(domains * 0.4)) } = this.#options;
    for (let number = 0, left = domains - family; left > 0; number++) {
      const size = Math.min(left, random.oneOf([1, 1, 1, 2, 3]));
      left -= size;
      const zone = this.zones.add(`n${number}.example`);
      if (random.happens(0.05)) zone.wildcard = { a: ["203.0.113.200"] };
      else if (random.happens(0.08)) zone.wildcard = { cname: sitesHost };
      const labels = random.happens(0.15) ? ["", "www", "docs"] : ["docs", "api", "help"];
      for (const label of labels.slice(0, size)) {
        const host = label === "" ? zone.name : `${label}.${zone.name}`;
        await this.#want(host, `owner-${number}`, `project-${number}`, random.happens(0.05));
      }
    }
    this.zones.add("family.example");
    for (let number = 0; number < family; number++) {
      const host = `part${number}.family.example`;
      await this.#want(host, "owner-family", "project-family", false, number % 8 !== 0);
    }
  }

  async #want(
    host: string,
    ownerId: string,
    project: string,
    hopeless: boolean,
    together = false,
  ): Promise<void> {
    if (!this.owners.isPaid(ownerId)) await this.owners.addOwner(ownerId, project);
    this.owners.live({ host, ownerId, project, hopeless, together });
  }

  #startWorker(): void {
    const life = new Life(`worker-${++this.#workersStarted}`);
    const worker = { life, tick: undefined as (() => void) | undefined, tickAtMs: undefined };
    const { worsen } = this.#options;
    const clock = life.clock(clockOf(this.time, this.#random.fork(life.name)), this.time, {
      everyMs: pollMs,
      keep: (tick) => {
        worker.tick = tick;
      },
    });
    const resolver = this.dns.resolver(this.sightings);
    const parts: JobContext = {
      store: life.between(worsen?.workerStore?.(this.store) ?? this.store),
      edgeView: life.between(this.#reportingEdges()),
      resolver: life.between(worsen?.resolver?.(resolver) ?? resolver),
      authority: life.between(this.authority.for(life)),
      probe: this.#probe,
      ownLimits: true,
      now: this.time.now,
      vault: this.#vault,
      clock,
      target: sitesHost,
      renewalNameOf: this.authority.renewalNameOf,
      log: { info: this.#hear, warn: this.#hear, error: this.#hear },
    };
    new DomainWorker(parts, {
      holder: life.name,
      pollMs,
      ...(worsen?.leaseMs === undefined ? {} : { leaseMs: worsen.leaseMs }),
    }).start();
    this.#workers.push(worker);
    this.tally.count("workers started");
    this.#wake(this.time.now());
  }

  readonly #hear = (event: string, fields: Readonly<Record<string, unknown>>): void => {
    this.tally.count(`told: ${event}`);
    const { cause } = fields;
    if (cause !== undefined && !(cause instanceof StoreFault)) {
      this.tally.violated("a worker never stumbles", `${event} ${fields["host"] ?? ""}: ${cause}`);
    }
  };

  /** One worker looks, and now and then all of them at once. */
  #wake(atMs: number): void {
    const alive = this.#workers.filter(({ life }) => life.isAlive);
    if (alive.length === 0) return;
    const chosen = this.#random.happens(0.05) ? alive : [this.#random.oneOf(alive)];
    for (const worker of chosen) {
      const phaseMs = this.#workers.indexOf(worker) * 70;
      const atGridMs = Math.ceil((atMs - phaseMs) / pollMs) * pollMs + phaseMs;
      if (worker.tickAtMs !== undefined && worker.tickAtMs <= atGridMs) continue;
      worker.tickAtMs = atGridMs;
      this.time.at(atGridMs, () => {
        if (worker.tickAtMs !== atGridMs) return idle;
        worker.tickAtMs = undefined;
        if (worker.life.isAlive) return worker.tick?.();
        this.#wake(this.time.now() + 1);
        return idle;
      });
    }
  }

  #planFaults(): void {
    const random = this.#random.fork("faults");
    const { time, tally } = this;
    const again = (meanMs: number, what: string, strike: () => void) => {
      const next = () => {
        const atMs = time.now() + second + random.around(meanMs);
        if (atMs >= this.#faultsEndMs) return;
        time.at(atMs, () => {
          tally.count(`fault: ${what}`);
          strike();
          next();
        });
      };
      next();
    };
    // As many of them for each name, however many names there are.
    const often = Math.max(0.2, Math.min(1, this.#options.domains / 1_000));
    again(12 * minute * often, "worker killed", () => this.#replaceWorker());
    again(10 * minute * often, "worker stands still", () => this.#pauseWorker(random));
    again(3 * hour, "edge down", () => {
      random.oneOf(this.#edges).downUntilMs = time.now() + random.around(4 * minute);
    });
    again(5 * hour, "authority down", () => {
      this.authority.downUntilMs = time.now() + random.around(40 * minute);
    });
    again(7 * hour, "recursor down", () => {
      this.dns.recursorDown(time.now() + random.around(15 * minute));
    });
    const perZoneMs = (60 * hour) / this.zones.all().length;
    again(perZoneMs, "zone down", () => {
      const zone = random.oneOf(this.zones.all());
      zone.downBy = random.oneOf(["servfail", "timeout"]);
      const downMs = random.around(random.happens(0.2) ? 3 * hour : 10 * minute);
      if (random.happens(0.6)) zone.downUntilMs = time.now() + downMs;
      else random.oneOf(zone.servers).downUntilMs = time.now() + downMs;
    });
    again(6 * hour, "store troubled", () => {
      this.store.faultRate = 0.03;
      time.after(2 * minute, () => {
        this.store.faultRate = 0;
      });
    });
  }

  #replaceWorker(): void {
    const victim = this.#random.oneOf(this.#workers.filter(({ life }) => !life.isDead));
    victim.life.kill();
    this.#workers.splice(this.#workers.indexOf(victim), 1);
    this.#startWorker();
  }

  #pauseWorker(random: SeededRandom): void {
    const { life } = random.oneOf(this.#workers);
    if (this.#workers.filter((worker) => worker.life.isAlive).length < 2) return;
    life.pause();
    this.time.after(random.between(2 * second, 4 * minute), () => {
      life.resume();
      this.#wake(this.time.now());
    });
  }

  #endFaults(): void {
    this.dns.calm = true;
    this.dns.recursorDown(0);
    this.authority.calm = true;
    this.store.faultRate = 0;
    for (const edge of this.#edges) edge.downUntilMs = 0;
    for (const zone of this.zones.all()) {
      zone.downUntilMs = 0;
      for (const server of zone.servers) server.downUntilMs = 0;
    }
  }

  /** Edges tell of themselves every few seconds; here, when somebody wants to know. */
  #reportingEdges(): EdgeView {
    const { edgeView, time } = this;
    const report = async (sinceMs: number): Promise<readonly Edge[]> => {
      for (const { downUntilMs, ...edge } of this.#edges) {
        if (time.now() < downUntilMs) continue;
        const revision = await edgeView.revision();
        await time.standStillFor(edgeView.reportEdge({ ...edge, revision, seenAtMs: time.now() }));
      }
      return edgeView.edges(sinceMs);
    };
    return new Proxy(edgeView, {
      get: (object, name) => {
        if (name === "edges") return report;
        const value = Reflect.get(object, name, object) as unknown;
        return typeof value === "function" ? value.bind(object) : value;
      },
    });
  }

  #probe: Probe = async (edge, host, token) => {
    const { downUntilMs = 0 } = this.#edges.find(({ id }) => id === edge.id) ?? {};
    if (this.time.now() < downUntilMs) return { kind: "failed", detail: "connection refused" };
    const body = (await this.edgeView.challenge(host, token, this.time.now())) ?? "";
    return { kind: "answered", body };
  };
}
