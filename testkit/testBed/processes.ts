/** Servers as child processes: started, asked until they answer, and never left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dieWithParent } from "../dieWithParent.ts";
import { eventually } from "../eventually.ts";
import { toolPath } from "./tools.ts";

const graceMs = 2_000;
const outputCharsMax = 1_000_000;

export interface Child {
  readonly pid: number;
  /** The last of what it wrote to stdout and stderr. */
  output(): string;
  /** SIGTERM, and SIGKILL for one that does not listen. May be called twice. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly tool: string;
  readonly args: readonly string[];
  readonly variables?: Record<string, string>;
  /** Asks the server something; true once it gave a sensible answer. */
  ready(): Promise<boolean>;
}

/** Resolves when the server answers. If it ends before, or never answers, the error has its output. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const child = spawnTied(options);
  let output = "";
  const keep = (chunk: Buffer) => {
    output = (output + chunk).slice(-outputCharsMax);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const stop = () => end(child);
  try {
    await untilReady(child, options);
  } catch (cause) {
    await stop();
    throw new Error(`${options.tool} did not start. It said:\n${output}`, { cause });
  }
  return { pid: child.pid ?? 0, output: () => output, stop };
}

function spawnTied({ tool, args, variables }: ChildOptions): ChildProcess {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(...dieWithParent([toolPath(tool), ...args], { signal: "KILL" }), {
    env: { PATH, HOME, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return child;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function untilReady(child: ChildProcess, { ready }: ChildOptions): Promise<void> {
  let lastFault: unknown;
  const isReady = async () => {
    if (hasEnded(child)) throw new Error(`It ended with ${child.exitCode ?? child.signalCode}.`);
    return ready().catch((fault) => {
      lastFault = fault;
      return false;
    });
  };
  await eventually(isReady).catch((cause) => {
    throw new Error(`${cause.message} ${lastFault ?? ""}`);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await exited;
  clearTimeout(timer);
}

/** Runs one command to its end and gives its stdout; a failure is thrown with all it said. */
export async function run(tool: string, args: readonly string[]): Promise<string> {
  const child = spawn(toolPath(tool), args, { stdio: ["ignore", "pipe", "pipe"] });
  const text = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    text.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    text.stderr += chunk;
  });
  const [code] = await once(child, "close");
  if (code === 0) return text.stdout;
  throw new Error(`${tool} ${args.join(" ")} ended with ${code}: ${text.stdout}${text.stderr}`);
}

/** Runs what is handed to it one after the other. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
