/** An image's own commands, run by buildah without a container engine. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

const stepSecondsMax = 300;
const readySecondsMax = 60;

export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export interface MemoryGroup {
  /** The file that a process writes its id to, to belong to it. */
  readonly processes: string;
  peakBytes(): number;
  kills(): number;
  /** Once its last process is gone. */
  remove(): void;
}

/** A group of processes with the memory of the compose file; undefined where there can be none. */
export function memoryGroup(name: string, bytes: number): MemoryGroup | undefined {
  const v1 = existsSync("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  const folder = join(v1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup", name);
  const [limit, peak, out] = v1
    ? ["memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"]
    : ["memory.max", "memory.peak", "memory.events"];
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, limit), String(bytes));
  } catch {
    return undefined;
  }
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  return {
    processes: join(folder, "cgroup.procs"),
    peakBytes: () => Number(read(peak)),
    kills: () => Number(/^oom_kill (\d+)$/m.exec(read(out))?.[1]),
    remove: () => void execFileSync("rmdir", [folder]),
  };
}

export interface ContainerParts {
  /** Of buildah. */
  readonly id: string;
  readonly config: ImageConfig;
  readonly port: number;
  /** Settings beside those of the image: `NAME=value`. */
  readonly variables?: readonly string[];
  /** The command that enters the network it is on, where that is not this machine's. */
  readonly network?: readonly string[];
  /** The folder that the program sees as /data. */
  readonly volume: string;
  /** The options that say where buildah keeps its things. */
  readonly storage: readonly string[];
  readonly group: MemoryGroup | undefined;
}

/** By itself or by a signal, such as when the memory is used up. */
const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null;

/** The image's own commands, on a port and a volume of this machine. */
export class Container {
  readonly base: string;
  readonly #config: ImageConfig;
  readonly #inside: readonly string[];
  readonly #group: MemoryGroup | undefined;
  #service: ChildProcess | undefined;
  log = "";

  constructor(parts: ContainerParts) {
    const { id, config, port, variables = [], network = [], volume, storage, group } = parts;
    this.base = `http://127.0.0.1:${port}`;
    this.#config = config;
    this.#group = group;
    const all = [`PORT=${port}`, "PETSTORE_METRICS_PORT=off", ...variables];
    this.#inside = [
      ...[...network, "buildah", ...storage, "run", "--isolation", "chroot"],
      ...["--volume", `${volume}:/data`, ...all.flatMap((each) => ["--env", each]), id, "--"],
    ];
  }

  /** What a command of the program prints. */
  petstore(...args: string[]): string {
    const [file = "", ...command] = [...this.#inside, ...this.#config.Entrypoint, ...args];
    return execFileSync(file, command, {
      encoding: "utf8",
      timeout: stepSecondsMax * 1000,
    });
  }

  isHealthy(): boolean {
    const [kind, ...command] = this.#config.Healthcheck.Test;
    const options = { timeout: stepSecondsMax * 1000 };
    const asked = () => Bun.spawnSync([...this.#inside, ...command], options).exitCode;
    return kind === "CMD" && asked() === 0;
  }

  /** Runs the command of the image until it is ready. */
  async start(): Promise<boolean> {
    const { Entrypoint, Cmd } = this.#config;
    const enter = this.#group === undefined ? "" : `echo $$ >${this.#group.processes};`;
    const command = [...this.#inside, ...Entrypoint, ...Cmd];
    const service = spawn("sh", ["-c", `${enter} exec "$@"`, "sh", ...command], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#service = service;
    for (const stream of [service.stdout, service.stderr]) {
      stream.on("data", (chunk) => {
        this.log += chunk;
      });
    }
    await until(() => hasEnded(service) || this.isHealthy());
    return !hasEnded(service) && this.isHealthy();
  }

  userId(): number {
    const status = readFileSync(`/proc/${this.#program()}/status`, "utf8");
    return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
  }

  /** As an engine does, by a signal to the program itself. Returns its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const service = this.#service;
    if (service === undefined || hasEnded(service)) return service?.exitCode ?? null;
    const exited = once(service, "exit");
    process.kill(this.#program(), signal);
    const late = setTimeout(() => service.kill("SIGKILL"), stepSecondsMax * 1000);
    const [code] = await exited;
    clearTimeout(late);
    return code;
  }

  #program(): number {
    const pid = programBelow(this.#service?.pid ?? 0);
    if (pid === undefined) throw new Error(`The program does not run: ${this.log}`);
    return pid;
  }
}

/** The process of the program, below the one that buildah is. */
function programBelow(ancestor: number): number | undefined {
  const children = readdirSync("/proc").filter((name) => {
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) === ancestor;
    } catch {
      return false;
    }
  });
  for (const child of children.map(Number)) {
    if (basename(readlinkSync(`/proc/${child}/exe`)) === "petstore") return child;
    const found = programBelow(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

export async function until(holds: () => boolean): Promise<boolean> {
  const deadline = performance.now() + readySecondsMax * 1000;
  while (performance.now() < deadline) {
    if (holds()) return true;
    await Bun.sleep(100);
  }
  return false;
}
