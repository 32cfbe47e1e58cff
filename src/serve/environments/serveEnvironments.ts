/**
 * Serves several environments by one command. Each is a service of its own, in processes of its own,
 * and is started again when it ends; this process only passes connections on to them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "../../core/clock.ts";
import type { PassingLog } from "../../core/log.ts";
import { ownCommand } from "../../core/runtimeFiles.ts";
import { listenPersistently, NotStarted } from "../startFailure.ts";
import { wholeLines } from "../supervisor/worker.ts";
import { type Backend, openFrontDoor } from "./frontDoor.ts";
import { behindDoor, type EnvironmentPlan, planOf } from "./settings.ts";

interface Parts {
  readonly clock: Clock;
  readonly log: PassingLog;
  /** Further arguments of `serve`. */
  readonly args: readonly string[];
}

interface RunningEnvironments {
  stop(): Promise<void>;
  kill(): void;
  signal(signal: NodeJS.Signals): void;
}

export async function startEnvironments(
  plans: readonly EnvironmentPlan[],
  parts: Parts,
): Promise<RunningEnvironments> {
  const services = plans.map((plan) => new EnvironmentService(plan, parts));
  let door: Awaited<ReturnType<typeof openDoor>>;
  try {
    door = await openDoor(services, parts);
    // One after the other, so that what they print does not mix.
    for (const service of services) await service.start();
  } catch (cause) {
    await door?.stop(0);
    await Promise.all(services.map((service) => service.stop()));
    parts.log.flush();
    throw cause;
  }
  return {
    async stop() {
      await door?.stop(0);
      await Promise.all(services.map((service) => service.stop()));
      parts.log.flush();
    },
    kill: () => {
      for (const service of services) service.signal("SIGKILL");
    },
    signal: (signal) => {
      for (const service of services) service.signal(signal);
    },
  };
}

/** Undefined where no environment has a name. */
async function openDoor(services: readonly EnvironmentService[], { clock, log }: Parts) {
  const named = services.find(({ plan }) => plan.config.domains !== undefined);
  const { config } = named?.plan ?? {};
  if (config?.domains === undefined) return undefined;
  const { edge } = config.domains;
  const plans = services.map(({ plan }) => plan);
  // What belongs to none by its name is a custom domain, and those are the first environment's.
  const backendFor = (host: string | undefined) =>
    (services.find(({ plan }) => plan === planOf(host, plans)) ?? services[0])?.edge;
  const open = () => openFrontDoor({ ...edge, clock, log, backendFor });
  return listenPersistently(open, { config, clock, log });
}

/** Which of the environments a line is from; some say so themselves. */
function ofEnvironment(lines: string, environment: string): string {
  return lines.replace(/^\{(?!.*"environment":).*$/gm, (line) =>
    line.replace(/\}$/, `,"environment":"${environment}"}`),
  );
}

const restartMsMin = 1_000;
const restartMsMax = 30_000;
/** After so long, an end is a new trouble, and not the old one again. */
const steadyMs = 60_000;

class EnvironmentService {
  readonly plan: EnvironmentPlan;
  readonly #parts: Parts;
  #child: ChildProcess | undefined;
  #failures = 0;
  #stopping = false;
  #cancelRestart: () => void = () => {};
  /** Where its edge listens; undefined while it does not run. */
  edge: Backend | undefined;

  constructor(plan: EnvironmentPlan, parts: Parts) {
    this.plan = plan;
    this.#parts = parts;
  }

  /** Resolves once it accepts connections; rejects when it ends before. */
  start(): Promise<void> {
    const { clock, log, args } = this.#parts;
    const { environment } = this.plan;
    const startedMs = clock.elapsed();
    const [file, ...own] = ownCommand;
    const child = spawn(file, [...own, "serve", ...args], {
      env: behindDoor(this.plan),
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    this.#child = child;
    const lines = wholeLines((text) => log.passOn(ofEnvironment(text, environment)));
    child.stderr?.on("data", lines.take);
    child.stderr?.on("end", lines.end);
    return new Promise((resolve, reject) => {
      let accepts = false;
      child.on("message", (message) => {
        accepts = true;
        this.edge = (message as { edge?: Backend }).edge;
        resolve();
      });
      child.on("error", reject);
      child.once("close", (code, signal) => {
        this.edge = undefined;
        this.#child = undefined;
        if (!accepts) return reject(new NotStarted(environment));
        if (this.#stopping) return;
        log.error("environment.exited", { environment, code, signal });
        if (clock.elapsed() - startedMs > steadyMs) this.#failures = 0;
        this.#restart();
      });
    });
  }

  #restart(): void {
    const { clock, log } = this.#parts;
    const inMs = Math.min(restartMsMax, restartMsMin * 2 ** this.#failures);
    this.#failures += 1;
    this.#cancelRestart = clock.after(inMs, () => {
      this.start().catch((cause) => {
        log.error("environment.start_failed", { environment: this.plan.environment, cause });
        if (!this.#stopping) this.#restart();
      });
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelRestart();
    const child = this.#child;
    if (child === undefined) return;
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await closed;
  }
}
