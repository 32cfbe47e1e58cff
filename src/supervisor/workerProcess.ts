/** Starts a process of the service and talks with it. */
import { type ChildProcess, spawn } from "node:child_process";
import type { SharedCounts } from "../keys/sharedCounts.ts";
import { Channel } from "./channel.ts";
import { wholeLines } from "./lines.ts";
import { answerTakes } from "./remoteCounts.ts";
import { mapSockets, type ServiceSockets, socketsOf } from "./serviceSockets.ts";
import type { Ending, Worker } from "./worker.ts";
import { orderVariable, protocol, type WorkerOrder } from "./workerOrder.ts";

export interface WorkerStart {
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
  let child: ChildProcess;
  try {
    child = spawn(file, [...args, "serve"], {
      env: { ...start.variables, [orderVariable]: JSON.stringify(order) },
      stdio: ["ignore", "inherit", "pipe", "ipc", ...inherited],
    });
  } catch (cause) {
    return neverStarted(cause as Error);
  }
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
    families: () => channel.ask("families") as ReturnType<Worker["families"]>,
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

/** The program cannot even be run, or the system has no room for one more process. */
function neverStarted(cause: Error): Worker {
  const started = Promise.reject(cause);
  started.catch(() => {});
  const away = async () => {
    throw cause;
  };
  return {
    pid: undefined,
    started,
    ended: Promise.resolve({ code: null, signal: null }),
    families: away,
    recent: away,
    accept: away,
    stop() {},
    kill() {},
  };
}
