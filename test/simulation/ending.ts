/** What must have come about when nothing has stood in the way for long enough. */
import { statusOf } from "../../src/hosting/domains/domain.ts";
import { hasEnded } from "./rules.ts";
import type { Simulation } from "./simulation.ts";

const hour = 3_600_000;
const day = 24 * hour;
/** An appointment may be this late: a worker that died with it under lease, and a poll. */
const lateMsMax = 5 * 60_000;

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
    if (!healthy || limited) continue;
    tally.count("end: healthy");
    if (status !== "live") {
      tally.violated("what is right for long is live", `${host} is ${status}`);
    }
    await rules.judgeServing(host);
  }
}
