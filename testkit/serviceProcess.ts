/** The service as its users start it: a process of its own, with nothing but its environment. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** What is started: the source, or the executable that PETSTORE_PROGRAM names. */
export function program(): readonly [command: string, ...args: string[]] {
  const { PETSTORE_PROGRAM: file } = process.env;
  return file === undefined ? [process.execPath, main] : [resolve(file)];
}

export interface Running {
  readonly child: ChildProcess;
  /** `http://127.0.0.1:40123/v1` */
  readonly base: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends the signal and resolves with the exit code, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

function start(args: readonly string[], variables: Record<string, string>) {
  const { PATH = "", HOME = "" } = process.env;
  const [command, ...before] = program();
  const child = spawn(command, [...before, ...args], {
    env: { PATH, HOME, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that fails half-way leaves nothing running.
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const text = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    text.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    text.stderr += chunk;
  });
  return { child, text };
}

export async function startProcess(variables: Record<string, string>): Promise<Running> {
  const { child, text } = start(["serve"], {
    PORT: "0",
    PETSTORE_METRICS_PORT: "0",
    // To build it takes a second of a core, at every start.
    PETSTORE_DOCS_SITE: "off",
    ...variables,
  });
  const exited = once(child, "exit");
  while (!/listens on (\S+)/.test(text.stdout)) {
    if (child.exitCode !== null) throw new Error(`The service ended: ${text.stderr}`);
    await Promise.race([once(child.stdout ?? child, "data"), exited]);
  }
  return {
    child,
    base: /listens on (\S+)/.exec(text.stdout)?.[1] ?? "",
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    async end(signal) {
      child.kill(signal);
      const [code, by] = await exited;
      return code ?? by;
    },
  };
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command to its end. */
export async function petstore(
  args: readonly string[],
  variables: Record<string, string>,
): Promise<Finished> {
  const { child, text } = start(args, variables);
  const [code] = await once(child, "close");
  return { code, ...text };
}
