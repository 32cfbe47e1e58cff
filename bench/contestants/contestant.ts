/** What every service in the comparison can do for the run. */
import { join } from "node:path";
import { type Answer, type Child, type ChildOrder, firstAnswer, startChild } from "../children.ts";
import { readyOrders } from "../orders.ts";
import type { Sample } from "../sample.ts";
import { usageOf } from "../usage.ts";
import { callsOf, type Dialect, type WorkName } from "../works.ts";
import { applyLoad, type Load, writeCalls } from "../wrk.ts";

export interface Contestant {
  readonly name: string;
  readonly title: string;
  /** What it does less of than ours, said beside its figures. */
  readonly leavesOut: readonly string[];
  readonly works: readonly WorkName[];
  /** Whether its bodies are ours to the byte; the run looks whether that is so. */
  readonly sameBytes: boolean;
  /** Why it cannot take part on this machine, if so. */
  lacks?(): string | undefined;
  version(): Promise<string>;
  start(place: Place): Promise<Running>;
}

/** Where a contestant keeps its things, and what it is asked for. */
export interface Place {
  /** Its own, and empty. */
  readonly folder: string;
  readonly sample: Sample;
  readonly reference: Reference;
}

/** Our answers to the sample, for those who serve the very same bytes. */
export interface Reference {
  readonly pets: ReadonlyMap<number, Answer>;
  /** By the query string. */
  readonly lists: ReadonlyMap<string, Answer>;
}

export interface Running {
  readonly pid: number;
  readonly port: number;
  readonly dialect: Dialect;
  /** What this one is asked for: fewer pets where it cannot hold all. */
  readonly sample: Sample;
  /** The file of calls that wrk sends for a work. */
  callsFor(work: WorkName): string;
  measure(work: WorkName, seconds: number): Promise<Measured>;
  /** Ends it and starts it again on the same data: the milliseconds to the first answer. */
  restart(): Promise<number>;
  stop(): Promise<void>;
}

export interface Measured extends Load, Metered {}

export interface Metered {
  readonly cpuUsPerRequest: number;
  readonly memoryMb: number;
}

export interface HttpService {
  readonly order: ChildOrder;
  readonly port: number;
  /** Where one must sign in first, the dialect comes of that. */
  readonly dialect: Dialect | ((child: Child) => Promise<Dialect>);
  readonly folder: string;
  readonly sample: Sample;
}

/** Close enough for starts of a few milliseconds, and little work beside them. */
const askAgainMs = 2;

/** Starts one that speaks HTTP: its load comes from wrk. */
export async function startHttp(service: HttpService): Promise<Running> {
  const { order, port, folder, sample } = service;
  let child = startChild(order);
  const dialect =
    typeof service.dialect === "function" ? await service.dialect(child) : service.dialect;
  const { headers } = dialect;
  const answered = () =>
    firstAnswer(child, { port, path: dialect.getPet(sample.ids[0] ?? 1), headers }, askAgainMs);
  await answered();

  const written = new Map<WorkName, string>();
  const callsFor = (work: WorkName) => {
    const known = written.get(work);
    if (known !== undefined) return known;
    const path = join(folder, `${work}.calls`);
    writeCalls(path, { headers, calls: callsOf(work, dialect, sample), ids: sample.pets });
    written.set(work, path);
    return path;
  };
  return {
    get pid() {
      return child.pid;
    },
    port,
    dialect,
    sample,
    callsFor,
    async measure(work, seconds) {
      const load = () => applyLoad({ port, calls: callsFor(work), seconds });
      if (work !== "getPetAmongOrders") return metered(child.pid, load);
      const orderDuring = await readyOrders({ port, dialect }, seconds);
      return metered(child.pid, () => orderDuring(load));
    },
    async restart() {
      await child.stop();
      const began = performance.now();
      child = startChild(order);
      await answered();
      return performance.now() - began;
    },
    stop: () => child.stop(),
  };
}

export async function metered<T extends Pick<Load, "requests">>(
  pid: number,
  load: () => Promise<T>,
): Promise<T & Metered> {
  const before = usageOf(pid);
  const measured = await load();
  const after = usageOf(pid);
  const cpuUs = (after.cpuSeconds - before.cpuSeconds) * 1e6;
  const cpuUsPerRequest = cpuUs / Math.max(1, measured.requests);
  return { ...measured, cpuUsPerRequest, memoryMb: after.memoryMb };
}
