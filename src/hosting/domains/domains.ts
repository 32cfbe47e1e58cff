/** The interface of the store of domains, for any engine. */
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { Vault } from "../../core/vault.ts";
import type { Challenge } from "./certificateAuthority.ts";
import type { Domain, HeldCertificate, Standing } from "./domain.ts";
import type { Finding } from "./finding.ts";
import type { Routing } from "./routing.ts";

/** The routing of a project that has none. */
export const noRouting: Routing = { primary: undefined, redirects: [] };

/** A domain as it is stored now. Every change increments the version. */
export interface StoredDomain {
  readonly domain: Domain;
  readonly version: number;
  readonly standing: Standing;
}

export interface TimelineEntry {
  readonly atMs: number;
  /** Such as `added`, `dns_checked`, `verified`, `certificate_issued`, `removed`. */
  readonly event: string;
  readonly message: string;
  readonly findings: readonly Finding[];
  /** The raw answers of the name servers, one per line. */
  readonly answers: readonly string[];
}

export interface StoredCertificate extends HeldCertificate {
  readonly host: string;
  readonly chainPem: string;
  /** Sealed for `certificateSeal(host, id)`. */
  readonly sealedKey: string;
}

/** Something that counts against the authority's limits. */
export interface CaAttempt {
  readonly host: string;
  /** The registrable domain, by which authorities apply limits: example.com for docs.example.com. */
  readonly registrable: string;
  /**
   * Every order is followed by its outcome, `settled` if that counts against no limit, unless it is
   * kept to be resumed or its domain was removed.
   */
  readonly kind: "order" | "failed_authorization" | "certificate" | "settled";
  readonly atMs: number;
}

/** The right of one worker to work on one domain. A later lease has a higher number. */
export interface Lease {
  readonly domainId: string;
  readonly fence: number;
}

/** By code units, one after the other. The names of the platform itself come first. */
export type DomainPosition = Pick<Domain, "project" | "host" | "id">;

/** Without a project and an owner, those of all. */
export interface PageRequest {
  readonly project?: string | undefined;
  readonly ownerId?: string | undefined;
  /** Part of the host, as it is stored or as people read it. */
  readonly search?: string | undefined;
  readonly after?: DomainPosition | undefined;
  readonly limit: number;
}

/** Changes that are committed together or not at all. */
export interface DomainChange {
  readonly domain: Domain;
  /** The version that the change is based on. */
  readonly version: number;
  /** When it needs attention next; undefined for never. */
  readonly dueAtMs: number | undefined;
  readonly entries: readonly TimelineEntry[];
  /** A worker's changes are accepted only while its lease is the latest. */
  readonly lease?: Lease;
  readonly certificate?: StoredCertificate;
  readonly attempts?: readonly CaAttempt[];
  /** Together with the project's routing, changed from this version of it. */
  readonly routing?: RoutingChange;
  /** Another claim on the same name that this one ends, with the entries for its owner. */
  readonly displaces?: Pick<DomainChange, "domain" | "version" | "entries">;
}

export interface RoutingChange {
  readonly project: string;
  readonly routing: Routing;
  /** 0 if there was none. */
  readonly version: number;
}

/** What is added together with another domain. */
export interface DomainBeside {
  readonly domain: Domain;
  readonly dueAtMs: number;
  readonly entries: readonly TimelineEntry[];
  /** The routing that names both; undefined if it stays as it is. */
  readonly routing: RoutingChange | undefined;
}

/**
 * - `changed`: the domain or the routing was changed in the meantime; read it and decide again.
 * - `fenced`: the lease was lost; stop.
 * - `taken`: another domain holds the name.
 */
export type ChangeOutcome = "done" | "changed" | "fenced" | "taken";

/** The most claims on one name that are returned. There may be more when there are this many. */
export const claimsMax = 100;
export const attemptsMax = 1_000;
export const timelineEntriesMax = 200;
/** The oldest beyond it are removed: each is checked daily, and has a timeline. */
export const tombstonesPerProjectMax = 1_000;

/** A write that resolves is on disk. All methods may be called concurrently. */
export interface DomainStore {
  /**
   * Adds a domain at version 1. A name is unique among held domains and within a project: `taken` if
   * it is already there. With another one beside it, both are added or neither; then it is also
   * `taken` when the routing is no longer at its version.
   */
  add(
    domain: Domain,
    dueAtMs: number,
    entries: readonly TimelineEntry[],
    beside?: DomainBeside,
  ): Promise<"added" | "taken">;
  change(change: DomainChange): Promise<ChangeOutcome>;
  get(id: string): MaybePromise<StoredDomain | undefined>;
  /** Every claim on a name, including ended ones, newest first, at most 100. */
  claimsOn(host: string): MaybePromise<readonly StoredDomain[]>;
  /** The one that holds the name and may be served. */
  holderOf(host: string): MaybePromise<StoredDomain | undefined>;
  /** Those of a project, or all, without removed and abandoned ones, in the order of their hosts. */
  list(project?: string): MaybePromise<readonly StoredDomain[]>;
  /**
   * The same, and the abandoned ones whose project has not added the name again, in the order of
   * their positions, at most `limit`. May return more than match `search`.
   */
  page(request: PageRequest): MaybePromise<readonly StoredDomain[]>;
  /** How many of `list` a project has. */
  count(project: string): MaybePromise<number>;
  /** How many of an owner are prepared, and have no certificate yet. */
  countUncertified(ownerId: string): MaybePromise<number>;
  /** The one of `list` with this host. */
  attached(project: string, host: string): MaybePromise<StoredDomain | undefined>;
  /** The names of the platform itself. */
  ownNames(): MaybePromise<readonly StoredDomain[]>;
  /** Newest first. The last 200 of each domain are stored. */
  timeline(domainId: string, limit: number): MaybePromise<readonly TimelineEntry[]>;

  routing(project: string): MaybePromise<{ readonly routing: Routing; readonly version: number }>;
  /** `changed` when it is no longer at the version. */
  saveRouting(change: RoutingChange): Promise<"done" | "changed">;

  /**
   * Leases at most `max` domains that are due and not leased to another, the longest due first.
   * An expired lease may be taken.
   */
  takeDue(request: {
    readonly holder: string;
    readonly nowMs: number;
    readonly untilMs: number;
    readonly max: number;
  }): Promise<readonly (StoredDomain & { readonly lease: Lease })[]>;
  /** False when the lease was lost. */
  extendLease(lease: Lease, untilMs: number): Promise<boolean>;
  /** Makes the domain available to other workers at once. Does nothing if the lease was lost. */
  endLease(lease: Lease): Promise<void>;

  /** The newest stored certificate for exactly this host that is valid until after an instant. */
  certificateFor(host: string, validAfterMs: number): MaybePromise<StoredCertificate | undefined>;
  /** Attempts for the host or its registrable domain since an instant, at most 1,000, oldest first. */
  attempts(
    of: { host: string; registrable: string },
    sinceMs: number,
  ): MaybePromise<readonly CaAttempt[]>;
  recordAttempt(attempt: CaAttempt): Promise<void>;

  /** Visible to every edge when it resolves. False if the lease was lost. */
  publishChallenge(
    challenge: Challenge & { readonly lease: Lease; readonly expiresAtMs: number },
  ): Promise<boolean>;

  /** Deletes expired challenges, attempts and tombstones. */
  sweep(nowMs: number): Promise<void>;
}

/** What becomes true of domains by time alone. */
export interface ExpiryStore {
  /**
   * Records certificates that are expiring, of each once, whichever process sees it first, and
   * domains that have lost their status by that. Resolves with whether there may be more.
   */
  recordExpiry(nowMs: number): Promise<boolean>;
}

/** False if the secret was changed since: then the certificate cannot be used. */
export function isOpenable({ host, id, sealedKey }: StoredCertificate, vault: Vault): boolean {
  return vault.opens(sealedKey, certificateSeal(host, id));
}

/** What the private key of a certificate is bound to. */
export const certificateSeal = (host: string, id: string) => `certificate ${id} of ${host}`;

/** What the private key of an order without an outcome is bound to. */
export const orderSeal = (host: string, url: string) => `order ${url} of ${host}`;
