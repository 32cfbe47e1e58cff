import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.ts";
import {
  type BatchOutcome,
  type BatchReply,
  type Write,
  WriteQueue,
} from "../repositories/writeQueue.ts";
import { type CommitReport, unavailable } from "../stores.ts";
import type { CommandName, Commands } from "./batch.ts";
import { errorFrom, type Failure } from "./failures.ts";
import type { WriterMessage, WriterThreadData } from "./writerThread.ts";

/** After a thread that ended without a commit, none is started for this long. */
const restartMsMin = 1_000;

/** One run of the writer thread. */
interface Thread {
  readonly worker: WriterWorker;
  readonly ended: Promise<void>;
  committed: boolean;
  /** Of the batch that it was sent last. */
  reply: PromiseWithResolvers<BatchReply<Failure>> | undefined;
}

/** A thread that replies as `writerThread.ts` does. */
export interface WriterWorker {
  on(event: "message", listener: (reply: BatchReply<Failure>) => void): unknown;
  on(event: "error", listener: (cause: unknown) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
  postMessage(message: WriterMessage): void;
}

export function startWriterThread(path: string): Worker {
  const workerData: WriterThreadData = { path };
  return new Worker(new URL("./writerThread.ts", import.meta.url), { workerData });
}

/** Runs the batches in the writer thread. */
export class Writer extends WriteQueue<Commands> {
  readonly #start: () => WriterWorker;
  readonly #clock: Clock;
  readonly #onCommit: (report: CommitReport) => void;
  /** Started by the first write: many commands only read. */
  #thread: Thread | undefined;
  #restartableMs = 0;

  constructor(
    start: () => WriterWorker,
    clock: Clock,
    onCommit: (report: CommitReport) => void = () => {},
  ) {
    super(clock, (writes) => this.#run(writes));
    this.#start = start;
    this.#clock = clock;
    this.#onCommit = onCommit;
  }

  /** Waits for what was submitted, then ends the thread. */
  override async close(): Promise<void> {
    await super.close();
    const thread = this.#thread;
    thread?.worker.postMessage("close" satisfies WriterMessage);
    await thread?.ended;
  }

  async #run(writes: readonly Write<CommandName>[]): Promise<BatchOutcome<Error>> {
    this.#thread ??= this.#startThread();
    const reply = Promise.withResolvers<BatchReply<Failure>>();
    this.#thread.reply = reply;
    this.#thread.worker.postMessage({
      names: writes.map(({ name }) => name),
      arguments: writes.map(({ argument }) => argument),
      ...(writes.some(({ origin }) => origin !== undefined) && {
        origins: writes.map(({ origin }) => origin),
      }),
      ...(writes.some(({ trace }) => trace !== undefined) && {
        traces: writes.map(({ trace }) => trace),
      }),
      nowMs: this.#clock.now(),
    } satisfies WriterMessage);
    const { results, failures, commits } = await reply.promise;
    for (const commit of commits) this.#onCommit(commit);
    return {
      results,
      failures: failures.map(({ index, failure }) => ({ index, failure: errorFrom(failure) })),
    };
  }

  #startThread(): Thread {
    if (this.#clock.elapsed() < this.#restartableMs) {
      throw unavailable("The writing thread failed.");
    }
    const worker = this.#start();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const thread: Thread = { worker, ended, committed: false, reply: undefined };
    let cause: unknown;
    worker.on("message", (reply) => {
      thread.committed ||= reply.commits.length > 0;
      thread.reply?.resolve(reply);
    });
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", () => {
      this.#thread = undefined;
      this.#restartableMs = thread.committed ? 0 : this.#clock.elapsed() + restartMsMin;
      // It is unknown what of the batch is on disk, so none of it is acknowledged.
      thread.reply?.reject(unavailable("The writing thread ended.", cause));
      end();
    });
    return thread;
  }
}
