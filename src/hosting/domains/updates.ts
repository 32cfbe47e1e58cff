/** Updates a domain by a pure decision, which is repeated if another update came first. */

import type { Vault } from "../../core/vault.ts";
import { type Domain, hasEnded } from "./domain.ts";
import type {
  CaAttempt,
  ChangeOutcome,
  DomainChange,
  DomainStore,
  Lease,
  StoredDomain,
  TimelineEntry,
} from "./domains.ts";
import type { Finding } from "./finding.ts";
import type { IssuingContext } from "./preparation.ts";
import { nextDueAtMs } from "./schedule.ts";

export type DomainUpdate = Pick<
  DomainChange,
  "domain" | "entries" | "certificate" | "attempts" | "routing" | "displaces"
>;

interface UpdateContext {
  readonly store: DomainStore;
  readonly now: () => number;
}

const triesMax = 8;

/** `decide` returns undefined if there is nothing to change. */
export async function updateWithRetry(
  { store, now }: UpdateContext,
  stored: StoredDomain,
  decide: (domain: Domain) => DomainUpdate | undefined | Promise<DomainUpdate | undefined>,
  lease?: Lease,
): Promise<ChangeOutcome> {
  let { domain, version } = stored;
  for (let tries = 0; tries < triesMax; tries++) {
    const update = await decide(domain);
    if (update === undefined) return "done";
    const outcome = await store.change({
      ...update,
      version,
      dueAtMs: nextDueAtMs(update.domain, now()),
      ...(lease === undefined ? {} : { lease }),
    });
    if (outcome !== "changed") return outcome;
    const fresh = await store.get(domain.id);
    if (fresh === undefined) return "fenced";
    ({ domain, version } = fresh);
  }
  throw new Error(`The domain ${domain.host} was updated ${triesMax} times by others meanwhile.`);
}

export function timelineEntry(
  atMs: number,
  event: string,
  message: string,
  findings: readonly Finding[] = [],
  answers: readonly string[] = [],
): TimelineEntry {
  return { atMs, event, message, findings, answers };
}

export interface JobContext extends IssuingContext {
  readonly vault: Vault;
  /** The host below which every domain has its target. */
  readonly target: string;
  /** The renewal name of a certificate (RFC 9773); undefined if it has none. */
  readonly renewalNameOf: (chainPem: string) => string | undefined;
}

/** One domain under lease. */
export interface LeasedDomain {
  readonly stored: StoredDomain;
  readonly lease: Lease;
  /** Aborted when the lease was lost. */
  readonly signal: AbortSignal;
}

/**
 * Updates under the lease, unless the domain was removed or abandoned in the meantime. Attempts that
 * the authority counted are stored even if the domain has ended or another worker has the lease.
 */
export async function updateLeased(
  { stored, lease }: LeasedDomain,
  context: JobContext,
  decide: (domain: Domain) => DomainUpdate | Promise<DomainUpdate>,
  attempts: readonly CaAttempt[] = [],
): Promise<ChangeOutcome> {
  let ended = false;
  const unlessEnded = async (domain: Domain) => {
    ended = hasEnded(domain);
    return ended ? undefined : { attempts, ...(await decide(domain)) };
  };
  const outcome = await updateWithRetry(context, stored, unlessEnded, lease);
  if (ended || outcome !== "done") {
    for (const each of attempts) await context.store.recordAttempt(each);
  }
  return outcome;
}
