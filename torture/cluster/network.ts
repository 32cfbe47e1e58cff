/** A network of its own for each database server, so that any of them can be cut off from others. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Runs a command to its end, and returns what it says. */
export function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr}`);
}

export interface Cut {
  /** The addresses that cannot be reached any more. */
  readonly from: readonly string[];
  /** Only these ports, on either side. All where none are given. */
  readonly ports?: readonly number[];
}

/** What a namespace drops, as arguments of iptables. */
export function dropRules({ from, ports }: Cut): string[][] {
  const limited =
    ports === undefined ? [] : ["-p", "tcp", "-m", "multiport", "--ports", ports.join()];
  return from.flatMap((address) => [
    ["-A", "INPUT", "-s", address, ...limited, "-j", "DROP"],
    ["-A", "OUTPUT", "-d", address, ...limited, "-j", "DROP"],
  ]);
}

const namespaceForm = /^petstore-(\d+)-\d+/gm;

export class Network {
  readonly #bridge = `ps${process.pid}`;
  readonly #subnet: string;
  readonly #count: number;

  /** Namespaces 1 to `count`, which reach each other and this machine over a bridge. */
  constructor(count: number) {
    this.#count = count;
    sweep();
    const taken = run("ip", "-o", "address");
    const free = Array.from({ length: 250 }, (_, at) => (process.pid + at) % 250);
    const third = free.find((each) => !taken.includes(` 10.213.${each}.`));
    if (third === undefined) throw new Error("All of 10.213.0.0/16 is taken.");
    this.#subnet = `10.213.${third}`;
  }

  open(): void {
    run("ip", "link", "add", this.#bridge, "type", "bridge");
    run("ip", "address", "add", `${this.hostAddress}/24`, "dev", this.#bridge);
    run("ip", "link", "set", this.#bridge, "up");
    for (let number = 1; number <= this.#count; number++) {
      const [namespace, link] = [this.namespace(number), `${this.#bridge}-${number}`];
      run("ip", "netns", "add", namespace);
      run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace);
      run("ip", "link", "set", link, "master", this.#bridge, "up");
      const inside = (...args: string[]) => run("ip", "-n", namespace, ...args);
      inside("address", "add", `${this.address(number)}/24`, "dev", "eth0");
      inside("link", "set", "eth0", "up");
      inside("link", "set", "lo", "up");
    }
  }

  /** That of this machine, where the service runs. */
  get hostAddress(): string {
    return `${this.#subnet}.254`;
  }

  address(number: number): string {
    return `${this.#subnet}.${number}`;
  }

  namespace(number: number): string {
    return `petstore-${process.pid}-${number}`;
  }

  cut(number: number, cut: Cut): void {
    const inside = ["netns", "exec", this.namespace(number), "iptables", "-w"];
    for (const rule of dropRules(cut)) run("ip", ...inside, ...rule);
  }

  heal(number: number): void {
    run("ip", "netns", "exec", this.namespace(number), "iptables", "-w", "-F");
  }

  /** Ends whatever still runs there. May be called at any time, and again. */
  close(): void {
    for (let number = 1; number <= this.#count; number++) {
      // Not only by its end in the namespace, which goes when the last process there has ended.
      spawnSync("ip", ["link", "delete", `${this.#bridge}-${number}`]);
      removeNamespace(this.namespace(number));
    }
    spawnSync("ip", ["link", "delete", this.#bridge]);
  }
}

/** All processes in a namespace. */
export function pidsIn(namespace: string): number[] {
  const { stdout } = spawnSync("ip", ["netns", "pids", namespace], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean).map(Number);
}

function removeNamespace(namespace: string): void {
  for (const pid of pidsIn(namespace)) signal(pid, "SIGKILL");
  spawnSync("ip", ["netns", "delete", namespace]);
}

/** A process that has just ended needs no signal. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
  }
}

/** What runs that were themselves killed have left. */
function sweep(): void {
  const owners = new Set<string>();
  for (const [namespace, pid = ""] of run("ip", "netns", "list").matchAll(namespaceForm)) {
    if (existsSync(`/proc/${pid}`)) continue;
    removeNamespace(namespace);
    owners.add(pid);
  }
  for (const pid of owners) spawnSync("ip", ["link", "delete", `ps${pid}`]);
}
