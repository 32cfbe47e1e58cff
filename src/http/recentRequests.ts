/** The last hour of the service in steps of thirty seconds, in memory and of a fixed size. */
import type { Clock } from "../core/clock.ts";
import type { CommitReport } from "../storage/stores.ts";
import type { RequestMetrics } from "./metrics.ts";

export const stepSeconds = 30;
export const stepsMax = 120;

/** Four buckets for each doubling of the microseconds: within a quarter of the true value. */
const bucketsPerDoubling = 4;
const buckets = 32 * bucketsPerDoubling;
const longestMicroseconds = 2 ** 31 - 1;

/** The counts of a step, in a form that can be sent to another process. */
export interface RecentStep {
  readonly requests: number;
  readonly errors: number;
  readonly commits: number;
  readonly writes: number;
  /** Requests by the bucket of their duration. */
  readonly durations: readonly (readonly [bucket: number, count: number])[];
}

interface Step {
  requests: number;
  errors: number;
  commits: number;
  writes: number;
  readonly durations: Uint32Array;
}

const newStep = (): Step => ({
  requests: 0,
  errors: 0,
  commits: 0,
  writes: 0,
  durations: new Uint32Array(buckets),
});

export interface Series {
  readonly stepSeconds: number;
  readonly fromMs: number;
  readonly requests: readonly number[];
  readonly errors: readonly number[];
  /** Undefined if there were no requests. */
  readonly p50Ms: readonly (number | undefined)[];
  readonly p99Ms: readonly (number | undefined)[];
  readonly commits: readonly number[];
  readonly writes: readonly number[];
}

export class Recent implements RequestMetrics {
  readonly #clock: Clock;
  readonly #steps = Array.from({ length: stepsMax }, newStep);
  /** The index of the current step. The one after it is the oldest. */
  #at = 0;
  #beganAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganAtMs = clock.now();
    // By a timer, so that requests need not read the clock.
    clock.every(stepSeconds * 1000, () => this.#turn());
  }

  observe(_operation: string | undefined, status: number, seconds: number): void {
    const step = this.#now();
    step.requests++;
    // An error of the client is not one of the service.
    if (status >= 500) step.errors++;
    const bucket = bucketOf(seconds * 1e6);
    step.durations[bucket] = (step.durations[bucket] as number) + 1;
  }

  commit({ writes }: CommitReport): void {
    const step = this.#now();
    step.commits++;
    step.writes += writes;
  }

  /** Oldest first. */
  steps(): RecentStep[] {
    return this.#ordered().map(({ durations, ...counts }) => ({
      ...counts,
      durations: [...durations.entries()].filter(([, count]) => count > 0),
    }));
  }

  /** Includes the counts of another process up to now. */
  absorb(others: readonly RecentStep[]): void {
    addTo(this.#ordered(), others);
  }

  /** Oldest first, including the counts of other processes up to now. */
  series(others: readonly (readonly RecentStep[])[] = []): Series {
    const own = this.#ordered();
    const steps =
      others.length === 0
        ? own
        : own.map((step) => ({ ...step, durations: step.durations.slice() }));
    for (const each of others) addTo(steps, each);
    return {
      stepSeconds,
      fromMs: this.#beganAtMs - (stepsMax - 1) * stepSeconds * 1000,
      requests: steps.map(({ requests }) => requests),
      errors: steps.map(({ errors }) => errors),
      p50Ms: steps.map((step) => quantile(step, 0.5)),
      p99Ms: steps.map((step) => quantile(step, 0.99)),
      commits: steps.map(({ commits }) => commits),
      writes: steps.map(({ writes }) => writes),
    };
  }

  #ordered(): Step[] {
    const after = this.#at + 1;
    return [...this.#steps.slice(after), ...this.#steps.slice(0, after)];
  }

  #now(): Step {
    return this.#steps[this.#at] as Step;
  }

  #turn(): void {
    this.#at = (this.#at + 1) % stepsMax;
    this.#steps[this.#at] = newStep();
    this.#beganAtMs = this.#clock.now();
  }
}

/** Aligned at the current step: the steps of two processes start within thirty seconds. */
function addTo(steps: readonly Step[], others: readonly RecentStep[]): void {
  for (const [index, other] of others.entries()) {
    const step = steps[steps.length - others.length + index];
    if (step === undefined) continue;
    step.requests += other.requests;
    step.errors += other.errors;
    step.commits += other.commits;
    step.writes += other.writes;
    for (const [bucket, count] of other.durations) {
      step.durations[bucket] = (step.durations[bucket] ?? 0) + count;
    }
  }
}

/** With integers and shifts only, since it runs for every request. */
function bucketOf(microseconds: number): number {
  const whole =
    microseconds < 1
      ? 1
      : microseconds > longestMicroseconds
        ? longestMicroseconds
        : microseconds | 0;
  const doublings = 31 - Math.clz32(whole);
  // The two bits below the highest one: which quarter of the doubling it is in.
  const within = doublings < 2 ? (whole << (2 - doublings)) & 3 : (whole >>> (doublings - 2)) & 3;
  return doublings * bucketsPerDoubling + within;
}

/** The middle of a bucket, in milliseconds. */
function middleOf(bucket: number): number {
  const doublings = Math.floor(bucket / bucketsPerDoubling);
  const within = (bucket % bucketsPerDoubling) + 0.5;
  return (2 ** doublings * (1 + within / bucketsPerDoubling)) / 1000;
}

function quantile({ requests, durations }: Step, share: number): number | undefined {
  if (requests === 0) return undefined;
  const wanted = Math.ceil(requests * share);
  let passed = 0;
  const bucket = durations.findIndex((count) => {
    passed += count;
    return passed >= wanted;
  });
  return Math.round(middleOf(bucket) * 1000) / 1000;
}
