/** What must have come about when nothing has stood in the way for long enough. */
import { isProven, statusOf } from "../../src/hosting/domains/domain.ts";
import { hasEnded } from "./rules.ts";
import type { Simulation } from "./simulation.ts";
import { isTarget } from "./zones.ts";

const hour = 3_600_000;
const day = 24 * hour;
/** Two minutes, and the order itself. */
const outageEndMsMax = 5 * 60_000;
/** An appointment may be this late: a worker that died with it under lease, and a poll. */
const lateMsMax = 5 * 60_000;

/** What waits only for the authority waits a few minutes at most once it is back. */
export async function judgeOutage(simulation: Simulation, untilMs: number): Promise<void> {
  const { store, tally, time, authority } = simulation;
  authority.downUntilMs = untilMs;
  const waiting = async () => {
    const hosts: string[] = [];
    for (const { domain } of store.accounts.values()) {
      const stored = await store.get(domain.id);
      const { refusal, ordering = false } = stored?.domain.certificate.issuance ?? {};
      const status = stored && statusOf(stored.domain, stored.standing, time.now());
      const shown = status === "blocked" || status === "renewal_failing";
      if (shown && !ordering && refusal?.reason === "unavailable") hosts.push(domain.host);
    }
    return hosts;
  };
  await time.runUntil(untilMs);
  tally.count("waited for the authority", (await waiting()).length);
  await time.runUntil(untilMs + outageEndMsMax);
  for (const host of await waiting()) {
    tally.violated("an outage that is over holds up nobody", host);
  }
}

export async function judgeEnd(simulation: Simulation, calmMs: number): Promise<void> {
  const { store, tally, time, authority, rules } = simulation;
  const nowMs = time.now();
  for (const { domain, dueAtMs } of store.accounts.values()) {
    const stored = await store.get(domain.id);
    if (stored === undefined) {
      tally.count("end: forgotten");
      if (!hasEnded(domain)) tally.violated("only what has ended is forgotten", domain.host);
      continue;
    }
    if (dueAtMs !== undefined && nowMs - dueAtMs > lateMsMax && !hasEnded(domain)) {
      tally.violated("nothing that is due is left undone", `${domain.host}, ${nowMs - dueAtMs} ms`);
    }
    const { host } = domain;
    const status = statusOf(stored.domain, stored.standing, nowMs);
    tally.count(`end: ${status}`);
    tally.trace("end", host, status);
    if (hasEnded(domain)) continue;
    if (nowMs - domain.dns.waitingSinceMs > 30 * day + lateMsMax && status === "misconfigured") {
      tally.violated("what is wrong for thirty days is given up", host);
    }
    const sinceMs = simulation.healthySinceMs(domain);
    const healthy = sinceMs !== undefined && nowMs - sinceMs >= calmMs - 2 * hour;
    const limited = authority.isSpent(host, calmMs);
    const wildcard = simulation.zones.of(host)?.wildcard?.cname ?? "";
    // Below a wildcard that points here, only its record shows that a prepared name is its owner's.
    const unshown = domain.validation !== undefined && !isProven(domain) && isTarget(wildcard);
    if (!healthy || limited || unshown) continue;
    tally.count("end: healthy");
    if (status !== "live") {
      tally.violated("what is right for long is live", `${host} is ${status}`);
    }
    await rules.judgeServing(host);
  }
}
