/** The name of the platform itself among the domains, so that the same worker gets its certificate. */
import type { Clock } from "../../core/clock.ts";
import { isOwnName } from "./domain.ts";
import type { DomainStore, StoredDomain } from "./domains.ts";
import * as lifecycle from "./lifecycle.ts";
import { nextDueAtMs } from "./schedule.ts";
import { timelineEntry, updateWithRetry } from "./updates.ts";

interface OwnNameContext {
  readonly store: DomainStore;
  readonly clock: Clock;
  readonly now: () => number;
}

export type OwnNameOutcome =
  | "kept"
  /** An owner attached the name before it became the platform's. */
  | "attached_elsewhere";

/**
 * Makes it the one name of the platform. A start is the operator's way to say "try again": whatever
 * was refused before is tried at once.
 */
export async function keepOwnName(
  host: string | undefined,
  context: OwnNameContext,
): Promise<OwnNameOutcome> {
  const { store, clock, now } = context;
  for (const each of await store.list()) {
    if (!isOwnName(each.domain) || each.domain.host === host) continue;
    await update(each, context, lifecycle.removed, "removed", "It is no longer in the settings.");
  }
  if (host === undefined) return "kept";
  const holder = await store.holderOf(host);
  if (holder !== undefined) {
    if (!isOwnName(holder.domain)) return "attached_elsewhere";
    await update(holder, context, lifecycle.verifyRequested, "verify_requested", "We started.");
    return "kept";
  }
  const nowMs = now();
  const domain = lifecycle.addedOwn(
    { id: `dom_${Buffer.from(clock.random(10)).toString("hex")}`, host },
    nowMs,
  );
  const entry = timelineEntry(nowMs, "added", `${host} is the name of this service.`);
  // Where another process was as quick, it is there now.
  await store.add(domain, nextDueAtMs(domain, nowMs), [entry]);
  return "kept";
}

async function update(
  stored: StoredDomain,
  context: OwnNameContext,
  decide: typeof lifecycle.removed,
  event: string,
  words: string,
): Promise<void> {
  await updateWithRetry(context, stored, (domain) => ({
    domain: decide(domain, context.now()),
    entries: [timelineEntry(context.now(), event, words)],
  }));
}
