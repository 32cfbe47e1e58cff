/** Replaces processes by others without a gap, and adds up what they count. */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type Clock, pause } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { type Family, processFamilies, sumFamilies } from "../../core/metrics.ts";
import type { Recent, RecentStep } from "../../http/recentRequests.ts";
import { Generation, type GenerationParts } from "./processGeneration.ts";
import type { Worker } from "./worker.ts";

interface SupervisorParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Where the figures of processes that have ended live on. */
  readonly recent: Recent;
}

/** How processes are started, and how many. */
export type Plan = Pick<GenerationParts, "processes" | "sockets" | "stopMsMax" | "start">;

/** One that does not answer must not keep the others' figures from being shown. */
const answerMsMax = 2_000;

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #live = new Set<Worker>();
  readonly #accepting = new Set<Worker>();
  #current: Generation | undefined;
  /** The one that was replaced last and has not ended yet. */
  #replaced: Generation | undefined;
  #starting: Generation | undefined;
  #reloads: Promise<unknown> = Promise.resolve();
  #stopping = false;
  #restartsBefore = 0;
  /** What the processes that have ended counted. */
  #counted: readonly Family[] = [];
  readonly #lastFamilies = new Map<Worker, readonly Family[]>();

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  /** Starts the first processes; rejects with none running when one of them does not start. */
  async start(plan: Plan): Promise<void> {
    this.#current = await this.#startGeneration(plan);
  }

  /** Starts other processes and, once they accept, stops those before. Rejects with these unharmed. */
  reload(plan: Plan): Promise<void> {
    const reload = this.#reloads.then(() => this.#replace(plan));
    this.#reloads = reload.catch(() => {});
    return reload;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#starting?.kill();
    await this.#reloads;
    this.#current?.stop({ replaced: false });
    await Promise.all([this.#current?.ended, this.#replaced?.ended]);
  }

  kill(): void {
    for (const worker of this.#live) worker.kill();
  }

  /** Of all processes together, with this one. */
  async families(): Promise<readonly Family[]> {
    const workers = [...this.#live];
    // The store is the same for all of them, so one is enough to ask for what is in it.
    const newest = workers.findLast((worker) => this.#accepting.has(worker));
    const asked = workers.map(async (worker) => {
      const families = await this.#answered(worker.families(worker === newest));
      if (families !== undefined) this.#lastFamilies.set(worker, families);
    });
    await Promise.all(asked);
    // Those that have ended meanwhile are among what was counted.
    const live = workers.filter((worker) => this.#live.has(worker));
    const seen = live.map((worker) => this.#lastFamilies.get(worker) ?? []);
    return sumFamilies([processFamilies(), this.#ownFamilies(), this.#counted, ...seen]);
  }

  /** The last hour of all but one. */
  async recentOfOthers(asking: Worker): Promise<readonly (readonly RecentStep[])[]> {
    const others = [...this.#live].filter((worker) => worker !== asking);
    const seen = await Promise.all(others.map((worker) => this.#answered(worker.recent())));
    return [this.#parts.recent.steps(), ...seen.filter((steps) => steps !== undefined)];
  }

  async #replace(plan: Plan): Promise<void> {
    const { log } = this.#parts;
    // Not a third generation beside two: each takes its memory.
    await this.#replaced?.ended;
    if (this.#stopping) throw new Error("The service is stopping.");
    log.info("reload.started", { processes: plan.processes });
    const next = await this.#startGeneration(plan);
    this.#restartsBefore += this.#current?.restarts ?? 0;
    this.#replaced = this.#current;
    this.#current = next;
    this.#replaced?.stop({ replaced: true });
    log.info("reload.finished", { processes: plan.processes });
  }

  async #startGeneration(plan: Plan): Promise<Generation> {
    const { clock, log } = this.#parts;
    const began = (worker: Worker) => this.#follow(worker);
    const generation = new Generation({ ...plan, clock, log, began });
    this.#starting = generation;
    try {
      await generation.start();
      return generation;
    } finally {
      this.#starting = undefined;
    }
  }

  #follow(worker: Worker): void {
    this.#live.add(worker);
    worker.started.then(
      () => this.#accepting.add(worker),
      () => {},
    );
    void worker.ended.then(({ families, recent }) => {
      const last = families ?? this.#lastFamilies.get(worker) ?? [];
      const counters = last.filter(({ type }) => type !== "gauge");
      this.#counted = sumFamilies([this.#counted, counters]);
      this.#parts.recent.absorb(recent ?? []);
      this.#lastFamilies.delete(worker);
      this.#live.delete(worker);
      this.#accepting.delete(worker);
    });
  }

  #ownFamilies(): Family[] {
    return [
      {
        name: "petstore_processes",
        type: "gauge",
        help: "Processes that accept connections.",
        samples: [{ value: this.#current?.accepting ?? 0 }],
      },
      {
        name: "petstore_process_restarts_total",
        type: "counter",
        help: "Processes that were started again because one had ended.",
        samples: [{ value: this.#restartsBefore + (this.#current?.restarts ?? 0) }],
      },
    ];
  }

  /** Undefined where it fails or takes too long. */
  async #answered<T>(answer: Promise<T>): Promise<T | undefined> {
    const answered = new AbortController();
    const late = pause(this.#parts.clock, answerMsMax, answered.signal).then(() => undefined);
    const seen = await Promise.race([answer.catch(() => undefined), late]);
    answered.abort();
    return seen;
  }
}

/** The processors that this process may use: fewer than the machine has where its container is limited. */
export function processorsAvailable(limits = readLimits()): number {
  return Math.max(1, Math.min(availableParallelism(), limits ?? Number.POSITIVE_INFINITY));
}

/** `200000 100000` of cgroup v2 is two processors' time; `max` is no limit. */
export function processorsIn(cpuMax: string): number | undefined {
  const [, quota, period] = /^(\d+) (\d+)/.exec(cpuMax) ?? [];
  return quota === undefined ? undefined : Math.ceil(Number(quota) / Number(period));
}

function readLimits(): number | undefined {
  try {
    return processorsIn(readFileSync("/sys/fs/cgroup/cpu.max", "latin1"));
  } catch {
    // Not Linux, or no container.
    return undefined;
  }
}
