/** When things are done. Each row says why it is what it is. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Most changes to DNS are seen within minutes, so the first checks come close together. */
const firstChecksMs = [15 * second, 30 * second, ...Array<number>(10).fill(minute)];
/** Then ever more seldom: whoever has not done it after ten minutes does it tomorrow. */
const checkGrowth = 1.15;
const checkDelayMaxMs = 4 * hour;

export function checkDelayMs(checks: number): number {
  const first = firstChecksMs[checks];
  if (first !== undefined) return first;
  const grown = minute * checkGrowth ** (checks - firstChecksMs.length + 1);
  return Math.min(Math.round(grown), checkDelayMaxMs);
}

/** What is live is looked at often enough to warn long before a renewal would fail. */
export const liveCheckMs = 6 * hour;
/** DNS may take 48 hours to be seen everywhere; after that, something is wrong. */
export const propagationMs = 48 * hour;
export const abandonAfterMs = 30 * day;
/** Whoever had the name may have it back without a proof, and nobody else. */
export const tombstoneMs = 30 * day;
/** Whether a removed name still points to us, which lets another owner take it over. */
export const danglingCheckMs = day;

/** Tenfold each time, because a refusal is seldom gone by itself. */
const issueDelaysMs = [minute, 10 * minute, 100 * minute, day];

export function issueDelayMs(attempts: number): number {
  return issueDelaysMs[Math.min(attempts, issueDelaysMs.length) - 1] ?? minute;
}

/** A suspended domain orders nothing, and is looked at again for when it is restored. */
export const suspendedRetryMs = hour;

export const clickIntervalMs = 10 * second;
export const clicksPerHourMax = 20;
export const clickWindowMs = hour;

/** How often an authority is asked when it wants a certificate renewed, where it does not say. */
export const askWindowMs = 6 * hour;

const shortLifeMs = 10 * day;

/** With a third of the lifetime left, or half where it is so short that a third is soon gone. */
export function renewalMs(notBeforeMs: number, notAfterMs: number): number {
  const lifeMs = notAfterMs - notBeforeMs;
  return Math.round(notAfterMs - (lifeMs < shortLifeMs ? lifeMs / 2 : lifeMs / 3));
}

/** An instant in the window, so that not everybody comes at its beginning (RFC 9773, 4.2). */
export function instantIn(startMs: number, endMs: number, chance: number): number {
  return Math.round(startMs + (endMs - startMs) * chance);
}

/** Long enough that a slow step does not lose the lease, short enough that a dead worker's work is soon taken up. */
export const leaseMs = 30 * second;
export const workerPollMs = 500;

/** An edge reports every few seconds; one that was silent for this long is counted out. */
export const edgeSilentMaxMs = 30 * second;
