/**
 * A Debian with nothing but certificates, git and what Node.js links to, and in it an unprivileged user. The root
 * is made by debootstrap once and kept; home and temporary folder are new for each run.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import type { CallerSettings } from "./callerSettings.ts";
import type { Runtime } from "./options.ts";

const suite = "bookworm";
const packages = ["ca-certificates", "git", "libatomic1", "libstdc++6"];
const makeMsMax = 15 * 60_000;
const outputCharactersMax = 16 * 2 ** 20;

/** What this machine lacks, said as it is, without a stack. */
export class Missing extends Error {}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Why no such machine can be made here. */
export function hindrance(here: { platform: string; arch: string; uid: number | undefined }) {
  if (here.platform !== "linux" || !["x64", "arm64"].includes(here.arch))
    return "A bare Debian can be made on Linux, on x64 and arm64.";
  if (here.uid !== 0)
    return "Making a bare Debian (debootstrap, chroot) needs root: run it as root.";
  return undefined;
}

const children = new Set<ChildProcess>();

interface RunOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly msMax?: number;
  /** Takes the output as it comes, so that a long run can be followed. */
  readonly log?: string;
}

/** Output is stdout and stderr as they came. */
async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ended> {
  const child = spawn(command, args, {
    env: options.variables ?? (process.env as Record<string, string>),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: options.msMax ?? makeMsMax,
    killSignal: "SIGKILL",
  });
  children.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-outputCharactersMax);
      if (options.log !== undefined) fs.appendFileSync(options.log, chunk);
    });
  }
  try {
    const [code] = await once(child, "close");
    return { code, output };
  } finally {
    children.delete(child);
  }
}

/** Ends what was started, with all its processes and mounts: both live in namespaces of their own. */
export function endAll(): void {
  for (const child of children) child.kill("SIGKILL");
}

async function must(command: string, args: readonly string[]): Promise<string> {
  const { code, output } = await run(command, args);
  if (code === 0) return output;
  throw new Missing(
    `${command} ended with ${code}:\n${output.trim().split("\n").slice(-5).join("\n")}`,
  );
}

/** Makes the root, unless there is one of the same recipe. */
export async function makeRoot(root: string, mirror: string | undefined): Promise<void> {
  const recipe = [suite, ...packages].join(" ");
  const recipeFile = join(root, "recipe");
  // A folder that somebody else made in the shared temporary folder could hold anything.
  if (fs.existsSync(root) && fs.statSync(root).uid !== 0)
    throw new Missing(`${root} belongs to somebody else. Remove it.`);
  if (fs.existsSync(recipeFile) && fs.readFileSync(recipeFile, "utf8") === recipe) return;
  if (Bun.which("debootstrap") === null) {
    if (Bun.which("apt-get") === null) throw new Missing("There is no debootstrap. Install it.");
    await must("apt-get", ["update", "-qq"]);
    await must("apt-get", ["install", "-y", "-qq", "debootstrap", "debian-archive-keyring"]);
  }
  const draft = fs.mkdtempSync(`${root}-`);
  try {
    fs.chmodSync(draft, 0o755);
    const chosen = ["--variant=minbase", `--include=${packages.join(",")}`];
    await must("debootstrap", [...chosen, suite, draft, ...(mirror === undefined ? [] : [mirror])]);
    await must("chroot", [draft, "/usr/sbin/useradd", "--create-home", "dev"]);
    fs.writeFileSync(join(draft, "recipe"), recipe);
    fs.rmSync(root, { recursive: true, force: true });
    fs.renameSync(draft, root);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** Puts Node.js and npm, as the registry has them, under `/opt`. Returns their folder in the root. */
export async function installRuntime(root: string, { node, npm }: Runtime): Promise<string> {
  const name = `node-${node}-npm-${npm}`;
  const folder = join(root, "opt", name);
  if (fs.existsSync(folder)) return `/opt/${name}`;
  const draft = fs.mkdtempSync(`${folder}-`);
  try {
    const binary = `node-linux-${process.arch}`;
    const quiet = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
    await must("npm", ["install", ...quiet, "--prefix", draft, `${binary}@${node}`, `npm@${npm}`]);
    fs.mkdirSync(join(draft, "bin"));
    fs.symlinkSync(`../node_modules/${binary}/bin/node`, join(draft, "bin/node"));
    for (const command of ["npm", "npx"])
      fs.symlinkSync(`../node_modules/npm/bin/${command}-cli.js`, join(draft, "bin", command));
    fs.chmodSync(draft, 0o755);
    fs.renameSync(draft, folder);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return `/opt/${name}`;
}

/** Enters as root only to mount the folders of this run, which nobody outside the namespace sees. */
const enter = `mount --bind "$1/home" /home/dev && mount --bind "$1/tmp" /tmp && mount --bind "$1/tmp" /dev/shm &&
  exec setpriv --reuid=dev --regid=dev --init-groups bash -c "$2"`;

export interface BareMachine {
  /** A clean clone of what is committed here, at `/home/dev/<name>`. */
  clone(name: string): Promise<void>;
  run(command: string, where: { folder: string; runtime: string; msMax: number }): Promise<Ended>;
  remove(): void;
}

export async function newMachine(
  root: string,
  repository: string,
  caller: CallerSettings,
): Promise<BareMachine> {
  const log = join(root, "last.log");
  fs.writeFileSync(log, "");
  for (const file of ["/etc/resolv.conf", "/etc/hosts"])
    if (fs.existsSync(file)) fs.copyFileSync(file, join(root, file));
  const { certificates } = caller;
  if (certificates) fs.writeFileSync(join(root, certificates.file), certificates.text);
  const outside = fs.mkdtempSync(join(root, "run-"));
  const inside = outside.slice(root.length);
  fs.chmodSync(outside, 0o755);
  for (const folder of ["home", "tmp"]) fs.mkdirSync(join(outside, folder));
  fs.chmodSync(join(outside, "tmp"), 0o1777);
  await must("chroot", [root, "chown", "dev:dev", join(inside, "home")]);

  return {
    async clone(name) {
      const folder = join("home", name);
      await must("git", ["clone", "--quiet", "--no-hardlinks", repository, join(outside, folder)]);
      await must("chroot", [root, "chown", "-R", "dev:dev", join(inside, folder)]);
    },
    run(command, { folder, runtime, msMax }) {
      fs.appendFileSync(log, `# ${runtime}: ${command}\n`);
      // bash stays the first process of its namespace, which has to reap the orphans of the others.
      const whole = `cd ~/${folder} && ${command}; exit $?`;
      const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
      return run(
        "unshare",
        [...namespaces, `--root=${root}`, "bash", "-c", enter, "enter", inside, whole],
        {
          variables: {
            PATH: `${runtime}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
            HOME: "/home/dev",
            LANG: "C.UTF-8",
            ...caller.variables,
          },
          msMax,
          log,
        },
      );
    },
    // Processes that were just killed may still be writing.
    remove: () => fs.rmSync(outside, { recursive: true, force: true, maxRetries: 5 }),
  };
}
