import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import type { CommitReport } from "../stores.ts";
import type { BatchReply } from "./batch.ts";
import type { Argument, CommandName, Result } from "./commands.ts";
import { errorFrom } from "./failures.ts";
import type { WriterMessage, WriterThreadData } from "./writerThread.ts";

/** Writes submitted and not yet on disk. Beyond it a write is rejected: it would wait too long. */
export const writesPendingMax = 10_000;
/** Keeps a transaction, and the wait of the writes behind it, short. */
const batchWritesMax = 1_000;
/**
 * How many results are delivered at once. Each leads to a response, and often to the next write: a
 * read that arrives meanwhile waits for these few, not for a whole batch.
 */
const resultsAtOnce = 8;
/** After a thread that ended without a commit, none is started for this long. */
const restartMsMin = 1_000;

interface Pending {
  readonly name: CommandName;
  readonly argument: unknown;
  result: unknown;
  resolve(result: unknown): void;
  reject(reason: Error): void;
}

/** One run of the writer thread. */
interface Thread {
  readonly worker: WriterWorker;
  readonly ended: Promise<void>;
  committed: boolean;
}

/** A thread that replies as `writerThread.ts` does. */
export interface WriterWorker {
  on(event: "message", listener: (reply: BatchReply) => void): unknown;
  on(event: "error", listener: (cause: unknown) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
  postMessage(message: WriterMessage): void;
}

export function startWriterThread(path: string): Worker {
  const workerData: WriterThreadData = { path };
  return new Worker(new URL("./writerThread.ts", import.meta.url), { workerData });
}

/**
 * Sends writes to the writer thread, one batch at a time. Writes that arrive during a commit form
 * the next batch: the busier the store, the more writes share one sync of the disk. (A second batch
 * in flight would split them: 10,700 writes/s become 7,900 when a sync takes 2 ms.)
 */
export class Writer {
  readonly #start: () => WriterWorker;
  readonly #clock: Clock;
  readonly #onCommit: (report: CommitReport) => void;
  /** Started by the first write: many commands only read. */
  #thread: Thread | undefined;
  #restartableMs = 0;
  #waiting: Pending[] = [];
  #inFlight: Pending[] = [];
  /** Writes that are on disk and whose results are not delivered yet. */
  readonly #settled: Pending[] = [];
  #deliveryScheduled = false;
  #sendScheduled = false;
  #drained: (() => void) | undefined;
  #closed = false;

  constructor(
    start: () => WriterWorker,
    clock: Clock,
    onCommit: (report: CommitReport) => void = () => {},
  ) {
    this.#start = start;
    this.#clock = clock;
    this.#onCommit = onCommit;
  }

  /** Resolves when the write is on disk. */
  submit<Name extends CommandName>(name: Name, argument: Argument<Name>): Promise<Result<Name>> {
    if (this.#closed) return refused("The store was closed.");
    if (this.#pendingCount >= writesPendingMax) {
      return refused(`${writesPendingMax} writes wait for the disk.`);
    }
    if (this.#thread === undefined) {
      if (this.#clock.elapsed() < this.#restartableMs) return refused("The writing thread failed.");
      this.#thread = this.#startThread();
    }
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ name, argument, result: undefined, resolve, reject });
      this.#scheduleSend();
    }) as Promise<Result<Name>>;
  }

  /** Waits for what was submitted, then ends the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#pendingCount > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    const thread = this.#thread;
    thread?.worker.postMessage("close" satisfies WriterMessage);
    await thread?.ended;
  }

  get #pendingCount(): number {
    return this.#waiting.length + this.#inFlight.length + this.#settled.length;
  }

  /** Writes that arrive on all connections in one turn of the event loop form one batch. */
  #scheduleSend(): void {
    if (this.#sendScheduled || this.#inFlight.length > 0) return;
    this.#sendScheduled = true;
    this.#clock.next(() => {
      this.#sendScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#inFlight.length > 0 || this.#waiting.length === 0) return;
    this.#inFlight = this.#waiting.splice(0, batchWritesMax);
    this.#thread?.worker.postMessage({
      names: this.#inFlight.map(({ name }) => name),
      arguments: this.#inFlight.map(({ argument }) => argument),
    } satisfies WriterMessage);
  }

  #receive(thread: Thread, { results, failures, commits }: BatchReply): void {
    // A late reply of a thread that was abandoned: its writes were already rejected.
    if (thread !== this.#thread) return;
    const batch = this.#inFlight;
    this.#inFlight = [];
    // Before the results are delivered: the disk need not wait for that.
    this.#send();
    for (const { index, failure } of failures) batch[index]?.reject(errorFrom(failure));
    // No effect on those just rejected.
    for (const [index, pending] of batch.entries()) pending.result = results[index];
    this.#settled.push(...batch);
    thread.committed ||= commits.length > 0;
    for (const commit of commits) this.#onCommit(commit);
    if (!this.#deliveryScheduled) this.#deliver();
  }

  #deliver(): void {
    for (const { resolve, result } of this.#settled.splice(0, resultsAtOnce)) resolve(result);
    this.#deliveryScheduled = this.#settled.length > 0;
    if (this.#deliveryScheduled) this.#clock.next(() => this.#deliver());
    else if (this.#pendingCount === 0) this.#drained?.();
  }

  #startThread(): Thread {
    const worker = this.#start();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const thread: Thread = { worker, ended, committed: false };
    let cause: unknown;
    worker.on("message", (reply: BatchReply) => this.#receive(thread, reply));
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", () => {
      this.#handleExit(thread, cause);
      end();
    });
    return thread;
  }

  /** It is unknown what of the batch is on disk, so none of it is acknowledged. */
  #handleExit(thread: Thread, cause: unknown): void {
    this.#thread = undefined;
    this.#restartableMs = thread.committed ? 0 : this.#clock.elapsed() + restartMsMin;
    const lost = [...this.#inFlight, ...this.#waiting];
    this.#inFlight = [];
    this.#waiting = [];
    const reason = new Error("The writing thread ended.", { cause });
    for (const { reject } of lost) reject(new Problem("store_unavailable", { cause: reason }));
    this.#drained?.();
  }
}

function refused(why: string): Promise<never> {
  return Promise.reject(new Problem("store_unavailable", { cause: new Error(why) }));
}
