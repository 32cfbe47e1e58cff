/** A store of domains with a witness beside it, who keeps books of their own on every change. */
import type { Domain } from "../../src/hosting/domains/domain.ts";
import type {
  ChangeOutcome,
  DomainBeside,
  DomainChange,
  DomainStore,
  Lease,
  PageRequest,
  StoredCertificate,
  StoredDomain,
  TimelineEntry,
} from "../../src/hosting/domains/domains.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import type { Tally } from "./tally.ts";
import { idle, type VirtualTime } from "./virtualTime.ts";

/** What the witness knows of a domain. */
export interface Account {
  domain: Domain;
  version: number;
  dueAtMs: number | undefined;
  fence: number;
  leasedUntilMs: number | undefined;
  takenAtMs: number;
  /** Leases in a row under which nothing was done. */
  idleLeases: number;
  worked: boolean;
}

export interface Witness {
  added(domain: Domain, others: readonly Account[]): void;
  changed(before: Account, change: DomainChange): void | Promise<void>;
}

type Taken = readonly (StoredDomain & { readonly lease: Lease })[];
/** As many as a slow store may let through between two looks, and then some. */
const idleLeasesMax = 12;

export class WatchedStore implements DomainStore {
  readonly #inner: DomainStore;
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #tally: Tally;
  #lastWrite: Promise<unknown> = Promise.resolve();
  readonly accounts = new Map<string, Account>();
  readonly #byHost = new Map<string, Account[]>();
  witness: Witness | undefined;
  /** Called when there may be something to take at an instant. */
  onDue: (atMs: number) => void = () => {};
  /** How often a write fails, with or without having been done. */
  faultRate = 0;

  constructor(inner: DomainStore, time: VirtualTime, random: SeededRandom, tally: Tally) {
    this.#inner = inner;
    this.#time = time;
    this.#random = random;
    this.#tally = tally;
  }

  claims(host: string): readonly Account[] {
    return this.#byHost.get(host) ?? [];
  }

  /** One after the other, so that the books are at every look what the store is. */
  async #write<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#lastWrite.then(write);
    this.#lastWrite = turn.catch(() => {});
    return this.#time.standStillFor(turn);
  }

  async #riskyWrite<T>(write: () => Promise<T>): Promise<T> {
    const fails = this.faultRate > 0 && this.#random.happens(this.faultRate);
    if (!fails) return this.#write(write);
    this.#tally.count("fault: store");
    // Half of what fails was done all the same, and nobody was told.
    if (this.#random.happens(0.5)) await this.#write(write);
    throw new StoreFault();
  }

  async add(
    domain: Domain,
    dueAtMs: number,
    entries: readonly TimelineEntry[],
    beside?: DomainBeside,
  ) {
    return this.#write(async () => {
      const outcome = await this.#inner.add(domain, dueAtMs, entries, beside);
      if (outcome === "taken") return outcome;
      for (const each of [{ domain, dueAtMs }, ...(beside ? [beside] : [])]) this.#noteAdded(each);
      return outcome;
    });
  }

  #noteAdded({ domain, dueAtMs }: Pick<DomainBeside, "domain" | "dueAtMs">): void {
    const others = this.claims(domain.host);
    this.witness?.added(domain, others);
    const account: Account = {
      domain,
      version: 1,
      dueAtMs,
      fence: 0,
      leasedUntilMs: undefined,
      takenAtMs: 0,
      idleLeases: 0,
      worked: true,
    };
    this.accounts.set(domain.id, account);
    this.#byHost.set(domain.host, [...others, account]);
    this.#tally.trace("added", domain.host, domain.ownership.kind);
    this.#expect(account);
  }

  async change(change: DomainChange): Promise<ChangeOutcome> {
    return this.#riskyWrite(async () => {
      const outcome = await this.#inner.change(change);
      this.#tally.count(`change: ${outcome}`);
      if (outcome === "done") await this.#record(change);
      return outcome;
    });
  }

  async #record(change: DomainChange): Promise<void> {
    const account = this.accounts.get(change.domain.id);
    if (account === undefined) {
      this.#tally.violated("only what was added changes", change.domain.host);
      return;
    }
    if (change.lease !== undefined && change.lease.fence !== account.fence) {
      this.#tally.violated("a worker that lost its lease changes nothing", change.domain.host);
    }
    if (change.version !== account.version) {
      this.#tally.violated("nobody overwrites what they have not seen", change.domain.host);
    }
    await this.witness?.changed({ ...account }, change);
    account.domain = change.domain;
    account.version = change.version + 1;
    account.dueAtMs = change.dueAtMs;
    account.worked = true;
    const displaced = change.displaces && this.accounts.get(change.displaces.domain.id);
    if (change.displaces && displaced) {
      displaced.domain = change.displaces.domain;
      displaced.version += 1;
      displaced.dueAtMs = undefined;
    }
    this.#expect(account);
  }

  #expect({ domain, dueAtMs }: Account): void {
    if (dueAtMs === undefined) return;
    this.#time.at(dueAtMs, () => {
      if (this.accounts.get(domain.id)?.dueAtMs === dueAtMs) this.onDue(this.#time.now());
      return idle;
    });
  }

  async takeDue(request: Parameters<DomainStore["takeDue"]>[0]): Promise<Taken> {
    return this.#riskyWrite(async () => {
      const taken = await this.#inner.takeDue(request);
      this.#tally.count("leases", taken.length);
      for (const { lease, domain } of taken) this.#recordLease(lease, domain, request);
      if (taken.length === request.max) this.onDue(this.#time.now() + 1);
      return taken;
    });
  }

  #recordLease(
    lease: Lease,
    { host }: Domain,
    { holder, nowMs, untilMs }: Parameters<DomainStore["takeDue"]>[0],
  ): void {
    const account = this.accounts.get(lease.domainId);
    if (account === undefined) return;
    this.#tally.trace("taken", host, holder);
    if ((account.leasedUntilMs ?? 0) > nowMs) {
      this.#tally.violated("what is leased is not taken", `${host} by ${holder}`);
    }
    if (lease.fence <= account.fence) {
      this.#tally.violated("a later lease has a higher number", host);
    }
    account.fence = lease.fence;
    account.takenAtMs = nowMs;
    account.idleLeases = account.worked ? 0 : account.idleLeases + 1;
    account.worked = false;
    if (account.idleLeases === idleLeasesMax) {
      this.#tally.violated("nothing is taken again and again for nothing", `${host} by ${holder}`);
    }
    this.#lease(account, untilMs);
  }

  #lease(account: Account, untilMs: number): void {
    account.leasedUntilMs = untilMs;
    this.#time.at(untilMs, () => {
      if (account.leasedUntilMs === untilMs) this.onDue(untilMs);
      return idle;
    });
  }

  async extendLease(lease: Lease, untilMs: number): Promise<boolean> {
    return this.#riskyWrite(async () => {
      const extended = await this.#inner.extendLease(lease, untilMs);
      const account = this.accounts.get(lease.domainId);
      if (extended && account?.fence === lease.fence) this.#lease(account, untilMs);
      if (extended && account !== undefined && account.fence !== lease.fence) {
        this.#tally.violated("a lost lease is not extended", account.domain.host);
      }
      this.#tally.count(extended ? "leases extended" : "leases lost");
      return extended;
    });
  }

  async endLease(lease: Lease): Promise<void> {
    return this.#riskyWrite(async () => {
      await this.#inner.endLease(lease);
      const account = this.accounts.get(lease.domainId);
      if (account?.fence !== lease.fence) return;
      account.leasedUntilMs = undefined;
      this.onDue(this.#time.now() + 1);
    });
  }

  async publishChallenge(challenge: Parameters<DomainStore["publishChallenge"]>[0]) {
    return this.#riskyWrite(async () => {
      const published = await this.#inner.publishChallenge(challenge);
      const account = this.accounts.get(challenge.lease.domainId);
      if (published && account?.fence !== challenge.lease.fence) {
        this.#tally.violated("a worker that lost its lease publishes nothing", challenge.host);
      }
      return published;
    });
  }

  get(id: string) {
    return this.#inner.get(id);
  }

  holderOf(host: string) {
    return this.#inner.holderOf(host);
  }

  claimsOn(host: string) {
    return this.#inner.claimsOn(host);
  }

  list(project?: string) {
    return this.#inner.list(project);
  }

  page(request: PageRequest) {
    return this.#inner.page(request);
  }

  count(project: string) {
    return this.#inner.count(project);
  }

  countUncertified(ownerId: string) {
    return this.#inner.countUncertified(ownerId);
  }

  attached(project: string, host: string) {
    return this.#inner.attached(project, host);
  }

  ownNames() {
    return this.#inner.ownNames();
  }

  timeline(domainId: string, limit: number) {
    return this.#inner.timeline(domainId, limit);
  }

  routing(project: string) {
    return this.#inner.routing(project);
  }

  saveRouting(change: Parameters<DomainStore["saveRouting"]>[0]) {
    return this.#riskyWrite(() => this.#inner.saveRouting(change));
  }

  certificateFor(host: string, validAfterMs: number): ReturnType<DomainStore["certificateFor"]> {
    return this.#inner.certificateFor(host, validAfterMs) as StoredCertificate | undefined;
  }

  attempts(of: { host: string; registrable: string }, sinceMs: number) {
    return this.#inner.attempts(of, sinceMs);
  }

  recordAttempt(attempt: Parameters<DomainStore["recordAttempt"]>[0]) {
    return this.#riskyWrite(() => this.#inner.recordAttempt(attempt));
  }

  sweep(nowMs: number) {
    return this.#riskyWrite(() => this.#inner.sweep(nowMs));
  }
}

export class StoreFault extends Error {
  constructor() {
    super("The store could not be reached.");
    this.name = "StoreFault";
  }
}
