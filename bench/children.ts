/** Programs that the run starts, and ends whatever happens. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const startSecondsMax = 120;
const endSecondsMax = 15;
const wordsMax = 1_000;

export interface Child {
  readonly pid: number;
  /** Whether it still runs. */
  alive(): boolean;
  /** The last of what it printed. */
  lastWords(): string;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) killFamily(child);
});

/** With what it started itself: the workers of a killed nginx would go on without it. */
function killFamily({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

export interface ChildOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Both outputs go to this file. */
  readonly output: string;
}

export function startChild({ command, args, variables, output }: ChildOrder): Child {
  const file = openSync(output, "a");
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, {
    env: { PATH, HOME, ...variables },
    // A group of its own, so that it can be ended together with its children.
    detached: true,
    stdio: ["ignore", file, file],
  });
  closeSync(file);
  // A missing program is detected by the missing pid, below.
  child.on("error", () => {});
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start.`);
  children.add(child);
  child.once("exit", () => children.delete(child));
  const alive = () => child.exitCode === null && child.signalCode === null;
  const lastWords = () => readFileSync(output, "utf8").slice(-wordsMax);
  return { pid, alive, lastWords, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (!children.has(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => killFamily(child), endSecondsMax * 1_000);
  await ended;
  clearTimeout(late);
}

export interface Question {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Resolves with the milliseconds until the first 200. */
export function firstAnswer(child: Child, question: Question, everyMs?: number): Promise<number> {
  return untilOk(child, question.path, async () => (await ask(question)).status, everyMs);
}

/** Asks for a status until it is 200; resolves with the milliseconds that it took. */
export async function untilOk(
  child: Child,
  what: string,
  statusOf: () => Promise<number>,
  everyMs = 20,
): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < startSecondsMax * 1_000) {
    if (!child.alive()) {
      throw new Error(`It ended instead of answering ${what}: ${child.lastWords()}`);
    }
    if ((await statusOf().catch(() => 0)) === 200) return performance.now() - began;
    await pause(everyMs);
  }
  throw new Error(`No 200 for ${what} within ${startSecondsMax} s.`);
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export async function ask({ port, path, headers }: Question): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...headers } });
  return { status: response.status, headers: response.headers, body: await response.text() };
}
