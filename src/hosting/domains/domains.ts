/** What a store of domains promises, on any engine. */
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { Challenge } from "./certificateAuthority.ts";
import type { Domain, HeldCertificate, Standing } from "./domain.ts";
import type { Finding } from "./finding.ts";
import type { Routing } from "./routing.ts";
import type { Vault } from "./vault.ts";

/** The routing of a project that has none. */
export const noRouting: Routing = { primary: undefined, redirects: [] };

/** A domain as it is stored now. Every change makes the version grow. */
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
  /** The answers of the name servers as they came, one per line. */
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
  /** The registrable domain, by which authorities count: example.com for docs.example.com. */
  readonly registrable: string;
  /**
   * Every order is followed by what came of it, `settled` where that counts against no limit, unless
   * the process that placed it crashed.
   */
  readonly kind: "order" | "failed_authorization" | "certificate" | "settled";
  readonly atMs: number;
}

/** The right of one worker to work on one domain. A later lease has a higher number. */
export interface Lease {
  readonly domainId: string;
  readonly fence: number;
}

/** Changes that are carried out together or not at all. */
export interface DomainChange {
  readonly domain: Domain;
  /** The version that the change was made from. */
  readonly version: number;
  /** When it needs attention next; undefined for never. */
  readonly dueAtMs: number | undefined;
  readonly entries: readonly TimelineEntry[];
  /** A worker's changes hold only while its lease is the latest. */
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
  /** 0 where there was none. */
  readonly version: number;
}

/**
 * - `changed`: the domain or the routing was changed meanwhile; read it again and decide again.
 * - `fenced`: the lease was lost; stop.
 * - `taken`: another domain holds the name.
 */
export type ChangeOutcome = "done" | "changed" | "fenced" | "taken";

/** The most claims on one name that are returned. There may be more when there are this many. */
export const claimsMax = 100;
export const attemptsMax = 1_000;
export const timelineEntriesMax = 200;
/** The oldest beyond it are removed: each is looked at daily, and takes a timeline's space. */
export const tombstonesPerProjectMax = 1_000;

/** A promise that resolves means: on disk. Everything may be called concurrently. */
export interface DomainStore {
  /**
   * Adds a domain at version 1. Of several that are `held` or of one project, one name is in the
   * store only once: `taken` says that it is there.
   */
  add(
    domain: Domain,
    dueAtMs: number,
    entries: readonly TimelineEntry[],
  ): Promise<"added" | "taken">;
  change(change: DomainChange): Promise<ChangeOutcome>;
  get(id: string): MaybePromise<StoredDomain | undefined>;
  /** Every claim on a name, the ended ones too, newest first, at most 100. */
  claimsOn(host: string): MaybePromise<readonly StoredDomain[]>;
  /** The one that holds the name, and therefore may be served. */
  holderOf(host: string): MaybePromise<StoredDomain | undefined>;
  /** Those of a project, or all; not the removed and abandoned ones; in the order of their hosts. */
  list(project?: string): MaybePromise<readonly StoredDomain[]>;
  /** The names of the platform itself. */
  ownNames(): MaybePromise<readonly StoredDomain[]>;
  /** Newest first. The store keeps the last 200 of each domain. */
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
  /** Lets others take the domain at once. Nothing happens when the lease was lost. */
  endLease(lease: Lease): Promise<void>;

  /** The newest stored certificate for exactly this host that is valid until after an instant. */
  certificateFor(host: string, validAfterMs: number): MaybePromise<StoredCertificate | undefined>;
  /** Attempts for the host or its registrable domain since an instant, at most 1,000, oldest first. */
  attempts(
    of: { host: string; registrable: string },
    sinceMs: number,
  ): MaybePromise<readonly CaAttempt[]>;
  recordAttempt(attempt: CaAttempt): Promise<void>;

  /** Readable by every edge when it resolves. False when the lease was lost. */
  publishChallenge(
    challenge: Challenge & { readonly lease: Lease; readonly expiresAtMs: number },
  ): Promise<boolean>;

  /** Deletes challenges, attempts and tombstones whose time has passed. */
  sweep(nowMs: number): Promise<void>;
}

/** Not where the secret was changed since: then it is as good as lost. */
export function isOpenable({ host, id, sealedKey }: StoredCertificate, vault: Vault): boolean {
  return vault.opens(sealedKey, certificateSeal(host, id));
}

/** What the private key of a certificate is sealed for. */
export const certificateSeal = (host: string, id: string) => `certificate ${id} of ${host}`;
