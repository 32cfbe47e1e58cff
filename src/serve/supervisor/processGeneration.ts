/** The processes that were started together: all of them accept, or none does. */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { socketsOf } from "./serviceSockets.ts";
import type { Ending, Worker } from "./worker.ts";

export interface GenerationParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly processes: number;
  /** How many listening sockets there are for each port. */
  readonly sockets: number;
  /** How long a process may take to exit after it was asked to stop. */
  readonly stopMsMax: number;
  /** Throws where the program cannot be run, or the system has no room for one more process. */
  readonly start: (slot: number) => Worker;
  /** Called for each that was started. */
  readonly began: (worker: Worker) => void;
}

/** To open the database, read its settings and listen. */
const startMsMax = 60_000;
/** What comes on top of the time to stop, to close the database for example. */
const killAfterMs = 5_000;
const restartMsMin = 100;
const restartMsMax = 30_000;
/** A process that ran this long did not fail because of how it starts. */
const soundMs = 60_000;

/** One place among the processes, through all lives of the process in it. */
interface Slot {
  worker: Worker | undefined;
  accepting: boolean;
  beganMs: number;
  failures: number;
  /** Sockets of others that it accepts on besides its own. */
  standsInFor: Set<number>;
}

export class Generation {
  readonly #parts: GenerationParts;
  readonly #slots: Slot[];
  readonly #ended = Promise.withResolvers<void>();
  #running = 0;
  #stopping = false;
  #cancelRestarts = new Set<() => void>();
  restarts = 0;

  constructor(parts: GenerationParts) {
    this.#parts = parts;
    this.#slots = Array.from({ length: parts.processes }, () => ({
      worker: undefined,
      accepting: false,
      beganMs: 0,
      failures: 0,
      standsInFor: new Set<number>(),
    }));
  }

  get processes(): number {
    return this.#slots.length;
  }

  get accepting(): number {
    return this.#slots.filter(({ accepting }) => accepting).length;
  }

  /** Resolves when the last process has ended after `stop`. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Rejects, with none left running, when one of them does not start. */
  async start(): Promise<void> {
    const starting = this.#slots.map((slot) => this.#begin(slot));
    try {
      await Promise.all(starting);
    } catch (cause) {
      this.kill();
      if (this.#running > 0) await this.ended;
      throw cause;
    }
  }

  stop(how: { readonly replaced: boolean }): void {
    const { clock, log, stopMsMax } = this.#parts;
    this.#endRestarts();
    if (this.#running === 0) this.#ended.resolve();
    for (const { worker } of this.#slots) worker?.stop(how);
    const cancel = clock.after(stopMsMax + killAfterMs, () => {
      log.error("processes.killed", { processes: this.#running });
      this.kill();
    });
    void this.ended.then(cancel);
  }

  kill(): void {
    this.#endRestarts();
    for (const { worker } of this.#slots) worker?.kill();
  }

  #endRestarts(): void {
    this.#stopping = true;
    for (const cancel of this.#cancelRestarts) cancel();
  }

  /** Resolves once the process in the slot accepts. */
  async #begin(slot: Slot): Promise<void> {
    const { clock, log } = this.#parts;
    const index = this.#slots.indexOf(slot);
    slot.beganMs = clock.elapsed();
    const worker = this.#started(slot, index);
    Object.assign(slot, { worker, accepting: false });
    slot.standsInFor.clear();
    this.#running++;
    this.#parts.began(worker);
    const cancel = clock.after(startMsMax, () => worker.kill());
    void worker.ended.then((ending) => this.#lost(slot, ending));
    try {
      await worker.started;
    } finally {
      cancel();
    }
    slot.accepting = true;
    log.info("process.started", { slot: index, pid: worker.pid });
    this.#standIn();
  }

  #started(slot: Slot, index: number): Worker {
    try {
      return this.#parts.start(index);
    } catch (cause) {
      if (slot.failures > 0) this.#restartLater(slot);
      throw cause;
    }
  }

  #lost(slot: Slot, ending: Ending): void {
    const { log } = this.#parts;
    const { worker, accepting } = slot;
    slot.worker = undefined;
    slot.accepting = false;
    this.#running--;
    if (this.#stopping) {
      if (this.#running === 0) this.#ended.resolve();
      return;
    }
    const { code, signal } = ending;
    const place = { slot: this.#slots.indexOf(slot), pid: worker?.pid };
    log.error("process.exited", { ...place, code, signal, accepting });
    // While the others still start, the caller that waits for all of them decides.
    if (accepting || slot.failures > 0) this.#restartLater(slot);
  }

  #restartLater(slot: Slot): void {
    const { clock, log } = this.#parts;
    this.#standIn();
    const ranMs = clock.elapsed() - slot.beganMs;
    const restartMs = ranMs >= soundMs ? restartMsMin : backOff(slot.failures);
    slot.failures = ranMs >= soundMs ? 1 : slot.failures + 1;
    const place = this.#slots.indexOf(slot);
    log.warn("process.restart_scheduled", {
      slot: place,
      inMs: restartMs,
      failures: slot.failures,
    });
    const cancel = clock.after(restartMs, () => {
      this.#cancelRestarts.delete(cancel);
      this.restarts++;
      // It is started again, also where it has not even begun.
      this.#begin(slot).catch((cause) => log.error("process.start_failed", { slot: place, cause }));
    });
    this.#cancelRestarts.add(cancel);
  }

  /** Has another process accept on the sockets of those that are down, so that no client waits. */
  #standIn(): void {
    for (const [index, slot] of this.#slots.entries()) {
      if (slot.accepting) continue;
      const others = [...this.#slots.slice(index + 1), ...this.#slots.slice(0, index)];
      const other = others.find(({ accepting }) => accepting);
      if (other?.worker === undefined) continue;
      const { processes, sockets } = this.#parts;
      const missing = socketsOf(index, processes, sockets).filter(
        (socket) => !other.standsInFor.has(socket),
      );
      if (missing.length === 0) continue;
      for (const socket of missing) other.standsInFor.add(socket);
      other.worker.accept(missing).catch((cause) => {
        this.#parts.log.warn("process.stand_in_failed", { slot: index, cause });
      });
    }
  }
}

function backOff(failures: number): number {
  return Math.min(restartMsMax, restartMsMin * 2 ** failures);
}
