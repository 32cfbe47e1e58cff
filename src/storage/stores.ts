import type { AccessStore } from "../accounts/access.ts";
import type { AccountStore } from "../accounts/accounts.ts";
import type { Clock } from "../core/clock.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import type { AcmeAccounts } from "../hosting/domains/certificateAuthority.ts";
import type { DomainStore } from "../hosting/domains/domains.ts";
import type { EdgeView } from "../hosting/domains/edgeView.ts";
import type { SiteStore, UploadStore } from "../hosting/sites/sites.ts";
import type { Catalogue } from "../petstore/catalogue/catalogue.ts";
import type { CategoryStore } from "../petstore/catalogue/categories.ts";
import type { KeyStore } from "../petstore/keys/keys.ts";
import type { Quota, RateLimiter } from "../petstore/keys/rateLimiter.ts";
import type { Environment } from "../petstore/keys/token.ts";
import type { OrderStore } from "../petstore/orders/orders.ts";

/** What one commit held and how long it took: for the metrics. */
export interface CommitReport {
  readonly writes: number;
  readonly durationMs: number;
}

/** What a backup or a restore copied. */
export interface CopyReport {
  readonly bytes: number;
  readonly pets: number;
  readonly keys: number;
}

/** How far the tables of a database have got. */
export interface StoreVersion {
  /** Undefined where there is nothing yet. */
  readonly version: number | undefined;
  /** What this release brings it to. */
  readonly latest: number;
}

/** What a process knows without a question of how far a database has changed. */
export interface Revisions {
  /** As `KeyStore` has it. */
  readonly keys: number;
  /** As `Catalogue` has it, or had it when something was last read. */
  readonly pets: number;
  /** Whether that of the pets is the one of this moment; else the catalogue must be asked. */
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
  readonly domains: DomainStore;
  readonly edgeView: EdgeView;
  readonly access: AccessStore;
  readonly accounts: AccountStore;
  readonly acmeAccounts: AcmeAccounts;
  /** Counts requests for all processes on this store; undefined where each counts for itself. */
  limiter?(quota: Quota): RateLimiter;
  /** Asked once for every request. */
  revisions(): Revisions;
  /** Resolves when the store can take a read and a write; rejects with `store_unavailable`. */
  ready(): Promise<void>;
  /** Bytes by part: `database`, `log`. */
  size(): MaybePromise<Readonly<Record<string, number>>>;
  /** Waits for what was submitted to be on disk, then lets go. Nothing may be called after. */
  close(): Promise<void>;
}

export interface StoresOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly onCommit?: (report: CommitReport) => void;
}
