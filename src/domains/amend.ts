/** Changes a domain by a pure decision, made again when somebody else was first. */
import { dueAtMs } from "./agenda.ts";
import type { Domain } from "./domain.ts";
import type {
  ChangeOutcome,
  DomainChange,
  DomainStore,
  Lease,
  StoredDomain,
  TimelineEntry,
} from "./domains.ts";
import type { Finding } from "./finding.ts";

export type Amendment = Pick<
  DomainChange,
  "domain" | "entries" | "certificate" | "attempts" | "routing" | "displaces"
>;

export interface AmendParts {
  readonly store: DomainStore;
  readonly now: () => number;
}

const triesMax = 8;

/** `decide` returns undefined where nothing is to be changed. */
export async function amend(
  { store, now }: AmendParts,
  stored: StoredDomain,
  decide: (domain: Domain) => Amendment | undefined | Promise<Amendment | undefined>,
  lease?: Lease,
): Promise<ChangeOutcome> {
  let { domain, version } = stored;
  for (let tries = 0; tries < triesMax; tries++) {
    const amendment = await decide(domain);
    if (amendment === undefined) return "done";
    const outcome = await store.change({
      ...amendment,
      version,
      dueAtMs: dueAtMs(amendment.domain, now()),
      ...(lease === undefined ? {} : { lease }),
    });
    if (outcome !== "changed") return outcome;
    const fresh = await store.get(domain.id);
    if (fresh === undefined) return "fenced";
    ({ domain, version } = fresh);
  }
  throw new Error(`The domain ${domain.host} was changed ${triesMax} times by others meanwhile.`);
}

export function entry(
  atMs: number,
  event: string,
  message: string,
  findings: readonly Finding[] = [],
  answers: readonly string[] = [],
): TimelineEntry {
  return { atMs, event, message, findings, answers };
}
