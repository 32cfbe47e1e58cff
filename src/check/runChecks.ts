import type { Clock } from "../core/clock.ts";
import { Semaphore } from "../core/semaphore.ts";
import { Caller, type Fetch, type RunContext, requestMsMax } from "./caller.ts";
import { type Check, CheckFailure, NotApplicable, type Part } from "./check.ts";
import { checks } from "./checks.ts";
import { Created, cleanUp } from "./cleanUp.ts";
import { shortened } from "./exchange.ts";
import { RateLimited, rateLimitPacer } from "./rateLimitPacer.ts";

export interface RunOptions {
  /** Ends in `/v1`, without a slash. */
  readonly base: string;
  readonly key: string;
  readonly clock: Clock;
  /** The global one unless given: tests respond without a connection. */
  readonly fetch?: Fetch | undefined;
  /** All parts unless given. */
  readonly only?: readonly Part[] | undefined;
  /** Ends the run early: its reason is thrown. */
  readonly stop?: AbortSignal | undefined;
  /** Called after each check. */
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

export type Outcome =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly expected: string; readonly seen: string }
  | { readonly kind: "skipped"; readonly reason: string };

export interface Result {
  readonly check: Check;
  readonly outcome: Outcome;
  /** What was asked, and the status of each answer. */
  readonly requests: readonly string[];
  readonly elapsedMs: number;
}

export interface RunReport {
  readonly base: string;
  readonly startedAtMs: number;
  readonly elapsedMs: number;
  readonly results: readonly Result[];
  /** Pets of the run that could not be deleted afterwards. */
  readonly petsLeft: number;
}

/** There is no service at this address, or it does not accept this key. */
export class Unreachable extends Error {}

export const runMsMax = 120_000;
const atOnceMax = 4;
const markBytes = 4;

/** Runs the checks, a few at a time. Throws Unreachable if the service does not respond. */
export async function runChecks(task: RunOptions): Promise<RunReport> {
  const { base, key, clock, fetch = globalThis.fetch, only, progress, stop } = task;
  const wanted = checks.filter(({ part }) => only === undefined || only.includes(part));
  const startedAtMs = clock.now();
  const startedMs = clock.elapsed();
  const ending = new AbortController();
  const cancel = clock.after(runMsMax, () => ending.abort());
  const over = stop === undefined ? ending.signal : AbortSignal.any([ending.signal, stop]);
  const requests = new Semaphore(atOnceMax);
  const pace = rateLimitPacer(clock, over, startedMs + runMsMax);
  const mark = Buffer.from(clock.random(markBytes)).toString("hex");
  let numbers = 0;
  const nextNumber = () => numbers++;
  const created = new Created();
  const context: RunContext = {
    ...{ base, key, clock, fetch, requests, pace, over, mark, nextNumber, created },
  };
  try {
    await expectAnswer(context).catch((cause: unknown) => {
      stop?.throwIfAborted();
      throw cause;
    });
    const results: Result[] = [];
    let next = 0;
    let done = 0;
    const work = async () => {
      for (let place = next++; place < wanted.length; place = next++) {
        stop?.throwIfAborted();
        const check = wanted[place] as Check;
        results[place] = await judged(check, context);
        progress?.(++done, wanted.length);
      }
    };
    await Promise.all(Array.from({ length: atOnceMax }, work));
    const petsLeft = await cleanUp(new Caller(context), created);
    stop?.throwIfAborted();
    return { base, startedAtMs, elapsedMs: clock.elapsed() - startedMs, results, petsLeft };
  } finally {
    cancel();
    // Ends the checks that still run: their results are not reported.
    ending.abort();
  }
}

async function expectAnswer(context: RunContext): Promise<void> {
  const caller = new Caller(context);
  const seen = await caller.get("/pets?limit=1").catch((cause: unknown) => {
    const what = caller.redacted(whyNoAnswer(cause));
    throw new Unreachable(
      `${context.base} gave ${what}. Nothing was checked. Is the address right, and the service running?`,
    );
  });
  if (seen.status === 401 || seen.status === 403) {
    throw new Unreachable(
      `${context.base} refused the key: ${caller.redacted(seen.shown)}. Nothing was checked. Is the key one of that service?`,
    );
  }
}

function whyNoAnswer(cause: unknown): string {
  if (cause instanceof RateLimited) return "no answer but 429: its rate limit leaves no time";
  if (!(cause instanceof CheckFailure)) return `no answer: ${messageOf(cause)}`;
  // `none within 10 seconds`, `none: Unable to connect`
  if (cause.seen.startsWith("none")) return cause.seen.replace("none", "no answer");
  return `an answer that cannot be read: ${cause.message}`;
}

const messageOf = (cause: unknown) =>
  shortened(cause instanceof Error ? cause.message : String(cause));

async function judged(check: Check, context: RunContext): Promise<Result> {
  const caller = new Caller(context);
  const startedMs = context.clock.elapsed();
  const outcome = await outcomeOf(check, caller);
  const elapsedMs = context.clock.elapsed() - startedMs;
  return { check, outcome, requests: caller.requests, elapsedMs };
}

async function outcomeOf(check: Check, caller: Caller): Promise<Outcome> {
  const { over, pace } = caller.context;
  const failed = (expected: string, seen: string): Outcome => ({
    kind: "failed",
    expected: caller.redacted(expected),
    seen: caller.redacted(seen),
  });
  if (over.aborted && pace.limited) return { kind: "skipped", reason: new RateLimited().message };
  // A promise that was not tested must not be reported as kept.
  if (over.aborted) return failed("a run of two minutes at most", "no time left for this check");
  try {
    await check.run(caller);
    return { kind: "passed" };
  } catch (cause) {
    if (cause instanceof NotApplicable) return { kind: "skipped", reason: cause.message };
    if (cause instanceof CheckFailure) return failed(cause.expected, cause.seen);
    // An unforeseen response fails this check, not the whole run.
    return failed("an answer that can be judged", messageOf(cause));
  }
}

export const boundsText = `${runMsMax / 1_000} s in all, ${requestMsMax / 1_000} s a request, ${atOnceMax} at once`;
