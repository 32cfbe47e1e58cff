/** The names of the platform itself, stored as domains, so that the same worker gets their certificates. */
import type { Clock } from "../../core/clock.ts";
import { hasEnded, isOwnName } from "./domain.ts";
import type { DomainStore, StoredDomain } from "./domains.ts";
import * as lifecycle from "./lifecycle.ts";
import { nextDueAtMs } from "./schedule.ts";
import { timelineEntry, updateWithRetry } from "./updates.ts";

interface OwnNameContext {
  readonly store: DomainStore;
  readonly clock: Clock;
  readonly now: () => number;
}

/** Makes exactly these the names of the platform. Returns those that an owner has attached. */
export async function keepOwnNames(
  hosts: readonly string[],
  context: OwnNameContext,
): Promise<readonly string[]> {
  const known = await context.store.ownNames();
  const wanted = new Set(hosts);
  for (const each of known) {
    if (wanted.has(each.domain.host)) continue;
    await update(each, context, lifecycle.removed, "removed", "It is no longer one of our names.");
  }
  const held = new Set(known.map(({ domain }) => domain.host));
  const attached: string[] = [];
  for (const host of hosts) {
    if (!held.has(host) && !(await addOwnName(host, context))) attached.push(host);
  }
  return attached;
}

/** A restart of the service retries what was refused before at once. */
export async function retryOwnNames(context: OwnNameContext): Promise<void> {
  for (const each of await context.store.ownNames()) {
    const { dns, certificate } = each.domain;
    if (certificate.issuance?.refusal === undefined && dns.verdict === "right") continue;
    await update(
      each,
      context,
      lifecycle.verifyRequested,
      "verify_requested",
      "The service was started.",
    );
  }
}

/** False if an owner has attached the name. */
async function addOwnName(host: string, { store, clock, now }: OwnNameContext): Promise<boolean> {
  const holder = await store.holderOf(host);
  // Another process may have added it in the meantime.
  if (holder !== undefined) return isOwnName(holder.domain);
  const nowMs = now();
  const domain = lifecycle.addedOwn(
    { id: `dom_${Buffer.from(clock.random(10)).toString("hex")}`, host },
    nowMs,
  );
  const entry = timelineEntry(nowMs, "added", `${host} is a name of this service.`);
  await store.add(domain, nextDueAtMs(domain, nowMs), [entry]);
  return true;
}

async function update(
  stored: StoredDomain,
  context: OwnNameContext,
  decide: typeof lifecycle.removed,
  event: string,
  words: string,
): Promise<void> {
  const nowMs = context.now();
  await updateWithRetry(context, stored, (domain) =>
    // Another process may have done it in the meantime.
    hasEnded(domain)
      ? undefined
      : { domain: decide(domain, nowMs), entries: [timelineEntry(nowMs, event, words)] },
  );
}
