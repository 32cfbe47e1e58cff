/** Leases the domains that are due, and runs their jobs. */

import { inTime } from "../../core/clock.ts";
import type { Lease, StoredDomain } from "./domains.ts";
import { jobs } from "./jobs.ts";
import { dueJob, leaseMs, workerPollMs } from "./schedule.ts";
import { type JobContext, updateWithRetry } from "./updates.ts";

export interface WorkerOptions {
  /** Unique to this worker, even among earlier ones of the same process. */
  readonly holder: string;
  readonly atOnceMax?: number;
  readonly pollMs?: number;
  readonly leaseMs?: number;
}

/** How many steps one lease may take, such as check, order, fetch the renewal window. */
const stepsMax = 4;
/** Less often, a service that is reloaded every hour would never do it. */
const sweepMs = 600_000;
/** Longer than an order may take. A job that exceeds it would keep others waiting. */
const workMsMax = 8 * 60_000;

interface HeldLease {
  /** Unix time, as stored. */
  untilMs: number;
  /** By the monotonic clock. */
  untilElapsedMs: number;
}

/** Several workers on one database share the work, each domain with one of them at a time. */
export class DomainWorker {
  readonly #context: JobContext;
  readonly #options: Required<WorkerOptions>;
  readonly #running = new Set<Promise<void>>();
  readonly #stops: (() => void)[] = [];
  readonly #stopping = new AbortController();
  #taking = false;

  constructor(context: JobContext, options: WorkerOptions) {
    this.#context = context;
    this.#options = { atOnceMax: 32, pollMs: workerPollMs, leaseMs, ...options };
  }

  start(): void {
    const { clock } = this.#context;
    this.#stops.push(
      clock.every(this.#options.pollMs, () => void this.takeDue()),
      clock.every(sweepMs, () => void this.#sweep()),
    );
  }

  /** Leases nothing more. Jobs in progress have some time to complete, and are then abandoned. */
  async stop(graceMs: number): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    const cancel = this.#context.clock.after(graceMs, () => this.#stopping.abort());
    await this.settled();
    cancel();
  }

  /** Leases what is due and starts its jobs; resolves with how many were leased. */
  async takeDue(): Promise<number> {
    const max = this.#options.atOnceMax - this.#running.size;
    if (this.#taking || max <= 0) return 0;
    this.#taking = true;
    try {
      const nowMs = this.#context.now();
      const untilMs = nowMs + this.#options.leaseMs;
      const { holder } = this.#options;
      const taken = await this.#context.store.takeDue({ holder, nowMs, untilMs, max });
      for (const { lease, ...stored } of taken) this.#begin(stored, lease, untilMs);
      return taken.length;
    } catch (cause) {
      this.#context.log.error("domains.read_failed", { cause });
      return 0;
    } finally {
      this.#taking = false;
    }
  }

  /** Resolves when no job is in progress. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #begin(stored: StoredDomain, lease: Lease, untilMs: number): void {
    const work = this.#runJobs(stored, lease, untilMs).catch((cause) =>
      this.#context.log.error("domain.failed", { host: stored.domain.host, cause }),
    );
    this.#running.add(work);
    void work.then(() => this.#running.delete(work));
  }

  async #runJobs(first: StoredDomain, lease: Lease, untilMs: number): Promise<void> {
    const lost = new AbortController();
    const { clock } = this.#context;
    const held: HeldLease = { untilMs, untilElapsedMs: clock.elapsed() + this.#options.leaseMs };
    const stopExtending = clock.every(
      this.#options.leaseMs / 3,
      () => void this.#extend(lease, held, lost),
    );
    const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
    // A failed job keeps its lease until it expires, so that it is not retried at every poll.
    let failed = true;
    try {
      let stored: StoredDomain | undefined = first;
      for (let step = 0; step < stepsMax && stored !== undefined; step++) {
        const job = dueJob(stored.domain, this.#context.now());
        if (job === undefined) {
          // Nothing is due any more. Without a new due time it would be leased at every poll.
          if (step === 0) await this.#reschedule(stored, lease);
          break;
        }
        const work = jobs[job]({ stored, lease, signal }, this.#context);
        const outcome = await inTime(clock, workMsMax, work, () => new Error("It took too long."));
        if (outcome === "taken") return;
        if (outcome === "fenced" || signal.aborted) break;
        // The wall clock jumped past its end, so another worker may have it: no step starts without it.
        if (this.#context.now() >= held.untilMs) break;
        stored = await this.#context.store.get(first.domain.id);
      }
      failed = false;
    } finally {
      stopExtending();
      if (!failed) await this.#context.store.endLease(lease);
    }
  }

  async #reschedule(stored: StoredDomain, lease: Lease): Promise<void> {
    await updateWithRetry(this.#context, stored, (domain) => ({ domain, entries: [] }), lease);
  }

  /** While the store is unavailable, the lease is held until it expires. */
  async #extend(lease: Lease, held: HeldLease, lost: AbortController): Promise<void> {
    const { clock, store, log, now } = this.#context;
    const askedMs = clock.elapsed();
    const untilMs = now() + this.#options.leaseMs;
    try {
      if (await store.extendLease(lease, untilMs)) {
        held.untilMs = untilMs;
        held.untilElapsedMs = askedMs + this.#options.leaseMs;
        return;
      }
      lost.abort();
    } catch (cause) {
      log.error("domain.lease_extension_failed", { cause });
      // Another worker may have it from now on.
      if (clock.elapsed() >= held.untilElapsedMs) lost.abort();
    }
  }

  async #sweep(): Promise<void> {
    await this.#context.store
      .sweep(this.#context.now())
      .catch((cause) => this.#context.log.error("domains.prune_failed", { cause }));
  }
}
