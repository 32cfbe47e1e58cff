/** One domain under lease, and what is needed to work on it. */
import type { Clock } from "../clock.ts";
import { type Amendment, amend } from "./amend.ts";
import { type Domain, hasEnded } from "./domain.ts";
import type { ChangeOutcome, Lease, StoredDomain } from "./domains.ts";
import type { IssuingParts } from "./preparation.ts";
import type { Vault } from "./vault.ts";

export interface KeeperParts extends IssuingParts {
  readonly vault: Vault;
  readonly clock: Clock;
  /** The name that owners point theirs to. */
  readonly target: string;
  /** The renewal name of a certificate (RFC 9773); undefined where it has none. */
  readonly renewalNameOf: (chainPem: string) => string | undefined;
}

/** One domain under lease. */
export interface Kept {
  readonly stored: StoredDomain;
  readonly lease: Lease;
  /** Aborted when the lease was lost. */
  readonly signal: AbortSignal;
}

/** Commits unless the domain was removed meanwhile: then there is nothing more to be said of it. */
export function commit(
  { stored, lease }: Kept,
  parts: KeeperParts,
  decide: (domain: Domain) => Amendment | Promise<Amendment>,
): Promise<ChangeOutcome> {
  return amend(parts, stored, (domain) => (hasEnded(domain) ? undefined : decide(domain)), lease);
}
