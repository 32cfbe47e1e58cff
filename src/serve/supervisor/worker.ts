/** One process of the service, as its supervisor sees it. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Family } from "../../core/metrics.ts";
import type { RecentStep } from "../../http/recentRequests.ts";
import type { SharedCounts } from "../../petstore/keys/rateLimiter.ts";
import { Channel } from "./channel.ts";
import { answerTakes } from "./remoteCounts.ts";
import { mapSockets, type ServiceSockets, socketsOf } from "./serviceSockets.ts";

export interface Worker {
  readonly pid: number | undefined;
  /** Resolves once it accepts connections; rejects with the reason why it never will. */
  readonly started: Promise<void>;
  /** Resolves when it has ended, with how. Never rejects. */
  readonly ended: Promise<Ending>;
  /** With what the store has to be asked for, or without. */
  families(stored: boolean): Promise<readonly Family[]>;
  recent(): Promise<readonly RecentStep[]>;
  /** Accepts on the sockets at these indexes too. */
  accept(indexes: readonly number[]): Promise<void>;
  /** Accepts no more, finishes what is under way and ends. Others go on where it is `replaced`. */
  stop(how: { readonly replaced: boolean }): void;
  kill(): void;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it had counted, where it could still say so. */
  readonly families?: readonly Family[] | undefined;
  readonly recent?: readonly RecentStep[] | undefined;
}

/**
 * Raised when the two sides stop understanding each other: after an upgrade, a supervisor of the old
 * release may start processes of the new one.
 */
export const protocol = 1;
const orderVariable = "PETSTORE_WORKER";

/** What a process gets at its start as one of several. */
export interface WorkerOrder {
  readonly protocol: number;
  /** Which of the processes it is, from 0. */
  readonly slot: number;
  /** All listening sockets of the service. */
  readonly sockets: ServiceSockets;
  /** Which of them it accepts on, by their index. */
  readonly accepts: readonly number[];
  readonly salt: string;
  /** False where processes of another release may still be serving: it may need other tables. */
  readonly migrates: boolean;
}

/** Undefined for a process without a supervisor. */
export function readOrder(variables: NodeJS.ProcessEnv): WorkerOrder | undefined {
  const text = variables[orderVariable];
  return text === undefined ? undefined : (JSON.parse(text) as WorkerOrder);
}

interface WorkerStart {
  readonly command: readonly [file: string, ...args: string[]];
  readonly variables: NodeJS.ProcessEnv;
  readonly slot: number;
  readonly processes: number;
  readonly sockets: ServiceSockets;
  readonly migrates: boolean;
  readonly counts: SharedCounts;
  /** The last hour of all processes but the one that asks. */
  readonly recentOfOthers: (asking: Worker) => Promise<unknown>;
  /** Takes whole lines of what it logs. */
  readonly logged: (lines: string) => void;
}

/** Standard streams and the channel come before them. */
const firstInherited = 4;

/** Starts a process of the service and talks with it. Throws where the system runs no more of them. */
export function startWorker(start: WorkerStart): Worker {
  const { slot, processes, sockets, migrates, counts } = start;
  const inherited: number[] = [];
  const renumbered = mapSockets(sockets, (socket) => firstInherited - 1 + inherited.push(socket));
  const order: WorkerOrder = {
    protocol,
    slot,
    sockets: renumbered,
    accepts: socketsOf(slot, processes, sockets.api.sockets.length),
    salt: counts.salt,
    migrates,
  };
  const [file, ...args] = start.command;
  const child = spawn(file, [...args, "serve"], {
    env: { ...start.variables, [orderVariable]: JSON.stringify(order) },
    stdio: ["ignore", "inherit", "pipe", "ipc", ...inherited],
  });
  const lines = wholeLines(start.logged);
  child.stderr?.on("data", lines.take);
  child.stderr?.on("end", lines.end);

  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  let counted: Pick<Ending, "families" | "recent"> = {};
  const channel: Channel = new Channel((message) => void child.send(message as object), {
    started: () => resolve(),
    failed: (reason: string) => reject(new Error(reason)),
    take: answerTakes(counts),
    recentOfOthers: () => start.recentOfOthers(worker),
    ending: (last: typeof counted) => {
      counted = last;
    },
  });
  child.on("message", (message) => void channel.receive(message));
  child.on("disconnect", () => channel.close());
  const ended = endingOf(child).then((ending) => {
    channel.close();
    reject(new Error("A process ended before it accepted connections."));
    return { ...ending, ...counted };
  });
  started.catch(() => {});
  const worker: Worker = {
    pid: child.pid,
    started,
    ended,
    families: (stored) => channel.ask("families", stored) as ReturnType<Worker["families"]>,
    recent: () => channel.ask("recent") as ReturnType<Worker["recent"]>,
    accept: async (indexes) => void (await channel.ask("accept", indexes)),
    stop: (how) => void channel.ask("stop", how).catch(() => {}),
    kill: () => void child.kill("SIGKILL"),
  };
  return worker;
}

function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    // Its streams may be read to their end after it is gone.
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.on("error", () => resolve({ code: null, signal: null }));
  });
}

/** Passes on whole lines of a stream of bytes, so that those of several processes never mix. */
export function wholeLines(pass: (lines: string) => void) {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  const add = (chunk: Uint8Array) => {
    if (chunk.byteLength === 0) return;
    rest.push(chunk);
    restBytes += chunk.byteLength;
  };
  const passRest = (end: string) => {
    if (restBytes > 0) pass(Buffer.concat(rest).toString("utf8") + end);
    rest = [];
    restBytes = 0;
  };
  return {
    take(chunk: Uint8Array): void {
      const end = chunk.lastIndexOf(newline) + 1;
      add(chunk.subarray(0, end));
      if (end > 0) passRest("");
      add(chunk.subarray(end));
      if (restBytes > lineBytesMax) passRest("\n");
    },
    /** What came last may be without its end. */
    end: () => passRest("\n"),
  };
}

const newline = 10;
const lineBytesMax = 1024 * 1024;
