/** The service as a process of its own, for faults to be done to it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { scopes } from "../src/contract/operations.ts";
import { petstore, program, type Running, startProcess } from "../testkit/serviceProcess.ts";
import type { Tally } from "./tally.ts";

const startMsMax = 60_000;
const endMsMax = 60_000;

export interface Victim {
  /** `http://127.0.0.1:40123/v1` */
  readonly base: string;
  /** `http://127.0.0.1:40123` */
  readonly origin: string;
  /** A key of the same store that may do everything. */
  readonly token: string;
  readonly pid: number;
  /** All that the process has said so far. */
  log(): string;
  /** SIGKILL. Resolves when the process is gone. */
  killed(): Promise<void>;
  /** SIGTERM. Resolves with the exit code, or the signal that ended the process. */
  stopped(): Promise<number | string>;
  rssBytes(): number;
}

export interface VictimOptions {
  /** Where the data is: that of the last life goes on in the next one. */
  readonly folder: string;
  readonly variables?: Record<string, string>;
  /** The key of an earlier life. Without one, a new key is made on the store before the start. */
  readonly token?: string;
}

export async function startVictim(options: VictimOptions): Promise<Victim> {
  const variables = {
    PETSTORE_DATA: options.folder,
    PETSTORE_DOCS_SITE: "on",
    ...options.variables,
  };
  const token = options.token ?? (await newToken(variables));
  const running = await within(startMsMax, "The service does not start", startProcess(variables));
  const { base, child } = running;
  const pid = child.pid ?? 0;
  return {
    base,
    origin: new URL(base).origin,
    token,
    pid,
    log: () => `${running.stdout()}${running.stderr()}`,
    async killed() {
      await ended(running, "SIGKILL");
    },
    stopped: () => ended(running, "SIGTERM"),
    rssBytes: () => rssBytesOf(pid),
  };
}

/** Ends a start, or another command, at whatever it is doing: a migration, or mending what the last end left. */
export async function killAtStart(
  options: VictimOptions,
  afterMs: number,
  words: readonly string[] = ["serve"],
): Promise<void> {
  const { PATH = "", HOME = "" } = process.env;
  const data = { PORT: "0", PETSTORE_METRICS_PORT: "off", PETSTORE_DATA: options.folder };
  const [command, ...before] = program();
  const child = spawn(command, [...before, ...words], {
    env: { PATH, HOME, ...data, ...options.variables },
    stdio: "ignore",
  });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const gone = once(child, "exit");
  setTimeout(kill, afterMs);
  await within(endMsMax, "The service does not end on SIGKILL", gone);
  process.off("exit", kill);
}

/** A key that may do everything, made as an operator makes it. */
export async function newToken(variables: Record<string, string>): Promise<string> {
  const words = ["keys", "create", "--name", "torture", "--scopes", scopes.join(), "--json"];
  const made = await petstore(words, variables);
  if (made.code !== 0) throw new Error(`No key could be made: ${made.stderr}`);
  return (JSON.parse(made.stdout) as { key: string }).key;
}

/** Does nothing if the process has already exited. */
async function ended({ child, end }: Running, signal: NodeJS.Signals): Promise<number | string> {
  if (child.exitCode !== null) return child.exitCode;
  if (child.signalCode !== null) return child.signalCode;
  try {
    return await within(endMsMax, `The service does not end on ${signal}`, end(signal));
  } catch (cause) {
    child.kill("SIGKILL");
    throw cause;
  }
}

export async function within<T>(msMax: number, otherwise: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${otherwise} within ${msMax} ms.`)), msMax);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function rssBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

const secretForms = [/pet_(?:live|test)_\w{8,}/, /-----BEGIN [A-Z ]*PRIVATE KEY-----/];

/** No secret may be in the log: neither the ones given, nor the key, nor what looks like either. */
export function judgeLog(victim: Victim, tally: Tally, secrets: readonly string[]): void {
  const log = victim.log();
  for (const secret of [victim.token, ...secrets]) {
    const at = log.indexOf(secret);
    tally.judge(
      at < 0,
      () => `A secret is in the log: ${lineAround(log, at).replace(secret, "…")}`,
    );
  }
  for (const form of secretForms) {
    const found = form.exec(log);
    tally.judge(found === null, () => `The log holds what looks like a secret: ${form}`);
  }
}

function lineAround(text: string, at: number): string {
  const from = text.lastIndexOf("\n", at) + 1;
  const to = text.indexOf("\n", at);
  return text.slice(from, to < 0 ? undefined : to).slice(0, 300);
}
