/** Our own limits, below those of a public authority, so that it never has to refuse. */
import type { CaAttempt, DomainStore } from "./domains.ts";
import { registrableOf } from "./hostName.ts";

const hour = 3_600_000;
const week = 7 * 24 * hour;

interface Limit {
  readonly kind: CaAttempt["kind"];
  readonly per: "host" | "registrable";
  readonly max: number;
  readonly windowMs: number;
  readonly words: string;
}

/** Let's Encrypt's limits, each with a margin for attempts that are not recorded here. */
export const limits: readonly Limit[] = [
  // It allows 5.
  {
    kind: "failed_authorization",
    per: "host",
    max: 4,
    windowMs: hour,
    words: "failed attempts for this name within an hour",
  },
  // It allows 5 of the same names.
  {
    kind: "certificate",
    per: "host",
    max: 4,
    windowMs: week,
    words: "certificates for this name within a week",
  },
  // It allows 50.
  {
    kind: "certificate",
    per: "registrable",
    max: 45,
    windowMs: week,
    words: "certificates for this registered domain within a week",
  },
];

export const budgetWindowMs = Math.max(...limits.map(({ windowMs }) => windowMs));

/** What counts for a host. */
export function attemptsOf(host: string, store: DomainStore, nowMs: number) {
  return store.attempts({ host, registrable: registrableOf(host) ?? host }, nowMs - budgetWindowMs);
}

export function attemptFor(host: string, kind: CaAttempt["kind"], atMs: number): CaAttempt {
  return { host, registrable: registrableOf(host) ?? host, kind, atMs };
}

export type Budget =
  | { readonly kind: "open" }
  | { readonly kind: "spent"; readonly untilMs: number; readonly words: string };

export interface Used {
  readonly words: string;
  readonly used: number;
  readonly max: number;
  /** When the limit allows another one; undefined if it does now. */
  readonly untilMs: number | undefined;
}

/** The longest that an order takes; until then it may still result in a certificate. */
export const orderMsMax = 10 * 60_000;

/** The usage of each limit. `attempts` cover the longest window, oldest first. */
export function usedOf(host: string, attempts: readonly CaAttempt[], nowMs: number): Used[] {
  const unresolved = unresolvedFor(host, attempts, nowMs);
  return limits.map(({ kind, per, max, windowMs, words }) => {
    const counts = (attempt: CaAttempt) =>
      nowMs - attempt.atMs < windowMs && (per === "registrable" || attempt.host === host);
    const known = attempts.filter((attempt) => attempt.kind === kind && counts(attempt));
    // Several certificates for one name by crashed workers are too unlikely to consider.
    const possible = kind === "certificate" && per === "host" ? [] : unresolved.filter(counts);
    const endOf = (counted: readonly CaAttempt[]) => {
      const oldest = counted
        .map(({ atMs }) => atMs)
        .sort((one, other) => one - other)
        .at(-max);
      return oldest === undefined ? undefined : oldest + windowMs;
    };
    const used = known.length + possible.length;
    const lastMs = endOf([...known, ...possible]);
    // The outcome of an order in progress will be known soon, and may not count. What is known does.
    const inProgress = possible.some((attempt) => nowMs - attempt.atMs < orderMsMax);
    if (lastMs === undefined || !inProgress) return { words, used, max, untilMs: lastMs };
    const untilMs = Math.min(lastMs, Math.max(endOf(known) ?? 0, nowMs + orderMsMax));
    return { words, used, max, untilMs };
  });
}

/**
 * Orders without a recorded outcome: they are in progress in other workers, which may have crashed.
 * Each may fail or result in a certificate, so it counts as both. Of several that are placed at the
 * same time, each counts those before it, so that the limit holds without waiting.
 */
function unresolvedFor(host: string, attempts: readonly CaAttempt[], nowMs: number): CaAttempt[] {
  const own = attempts.findLastIndex((attempt) => attempt.host === host);
  const { kind, atMs = 0 } = attempts[own] ?? {};
  const placed = kind === "order" && nowMs - atMs < orderMsMax ? own : attempts.length;
  const following = new Map<string, CaAttempt["kind"]>();
  return attempts.toReversed().filter((attempt, fromEnd) => {
    const next = following.get(attempt.host) ?? "order";
    following.set(attempt.host, attempt.kind);
    const isBefore = attempts.length - 1 - fromEnd < placed;
    return isBefore && attempt.kind === "order" && next === "order";
  });
}

export async function usageOf(host: string, store: DomainStore, nowMs: number) {
  return usedOf(host, await attemptsOf(host, store, nowMs), nowMs);
}

/** Whether another order may be placed now. */
export function budgetFor(host: string, attempts: readonly CaAttempt[], nowMs: number): Budget {
  const spent = usedOf(host, attempts, nowMs).flatMap(({ untilMs, max, words }) =>
    untilMs === undefined ? [] : [{ untilMs, words: `${max} ${words}` }],
  );
  const last = spent.toSorted((one, other) => one.untilMs - other.untilMs).at(-1);
  return last === undefined ? { kind: "open" } : { kind: "spent", ...last };
}
