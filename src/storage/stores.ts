import type { AccessStore } from "../accounts/access.ts";
import type { AccountStore } from "../accounts/accounts.ts";
import type { SecondFactorStore } from "../accounts/secondFactors.ts";
import type { AuditStore } from "../audit/auditLog.ts";
import type { Clock } from "../core/clock.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import { Problem } from "../core/problems.ts";
import type { AcmeAccounts } from "../hosting/domains/certificateAuthority.ts";
import type { DomainStore, ExpiryStore } from "../hosting/domains/domains.ts";
import type { EdgeView } from "../hosting/domains/edgeView.ts";
import type { SiteStore, UploadStore } from "../hosting/sites/sites.ts";
import type { MailStore } from "../notifications/mails.ts";
import type { Catalogue } from "../petstore/catalogue/catalogue.ts";
import type { CategoryStore } from "../petstore/catalogue/categories.ts";
import type { EventStore } from "../petstore/events/events.ts";
import type { KeyStore } from "../petstore/keys/keys.ts";
import type { Quota, RateLimiter } from "../petstore/keys/rateLimiter.ts";
import type { Environment } from "../petstore/keys/token.ts";
import type { OrderStore } from "../petstore/orders/orders.ts";
import type { WebhookStore } from "../petstore/webhooks/webhooks.ts";

/** For the metrics. */
export interface CommitReport {
  readonly writes: number;
  readonly durationMs: number;
}

/** What waits in this process at the moment, and how much may. */
export interface StoreQueues {
  /** Writes that are not on disk yet. */
  readonly writes: { readonly waiting: number; readonly max: number };
  /** Of the pool of connections, if the engine has one. `waiting` are requests for one. */
  readonly connections?: {
    readonly open: number;
    readonly idle: number;
    readonly waiting: number;
    readonly max: number;
  };
}

/** What a backup or a restore copied. */
export interface CopyReport {
  readonly bytes: number;
  readonly pets: number;
  readonly keys: number;
}

/** The version of the schema of a database. */
export interface StoreVersion {
  /** Undefined for a database that does not exist or is empty. */
  readonly version: number | undefined;
  /** The version that this release migrates to. */
  readonly latest: number;
}

/** The revisions of a database, as far as this process knows them without a query. */
export interface Revisions {
  /** That of `KeyStore`. */
  readonly keys: number;
  /** That of `Catalogue`, as of the last read. */
  readonly pets: number;
  /** Whether `pets` is current; otherwise the catalogue must be queried. */
  readonly exact: boolean;
}

/** One database, whichever engine it runs on. */
export interface Stores {
  readonly catalogue: Catalogue;
  readonly categories: CategoryStore;
  readonly orders: OrderStore;
  readonly keys: KeyStore;
  readonly sites: SiteStore;
  readonly uploads: UploadStore;
  readonly domains: DomainStore & ExpiryStore;
  readonly edgeView: EdgeView;
  readonly access: AccessStore;
  readonly accounts: AccountStore;
  readonly audit: AuditStore;
  readonly secondFactors: SecondFactorStore;
  readonly acmeAccounts: AcmeAccounts;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly mails: MailStore;
  /** Counts requests for all processes on this store; undefined if each counts separately. */
  limiter?(quota: Quota): RateLimiter;
  /** Called for every request. */
  revisions(): Revisions;
  /** Resolves when the store can read and write; rejects with `store_unavailable`. */
  ready(): Promise<void>;
  /** Bytes by part: `database`, `log`. */
  size(): MaybePromise<Readonly<Record<string, number>>>;
  queues(): StoreQueues;
  /** Waits until submitted writes are on disk, then closes. Nothing may be called afterwards. */
  close(): Promise<void>;
}

export interface StoresOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly onCommit?: (report: CommitReport) => void;
}

export function unavailable(why: string, cause?: unknown): Problem {
  return new Problem("store_unavailable", { cause: new Error(why, { cause }) });
}

/** `shown` names the database to people. */
export function requireKnownVersion(shown: string, version: number, latest: number): void {
  if (version <= latest) return;
  throw new Error(
    `${shown} was written by a newer release: its version is ${version}, and this program knows versions up to ${latest}. Run that release or a later one.`,
  );
}

/** A database belongs to the first environment that opens it; `owner` is undefined before that. */
export function requireEnvironment(
  shown: string,
  owner: string | undefined,
  environment: Environment,
): void {
  if (owner === undefined || owner === environment) return;
  throw new Error(
    `${shown} holds the data of ${owner}, and this is ${environment}. Set PETSTORE_ENV=${owner}, or give ${environment} a database of its own.`,
  );
}
