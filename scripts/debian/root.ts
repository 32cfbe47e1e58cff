/**
 * A Debian in a folder, and in it an unprivileged user, for what has to be tried on a system other than this one. What
 * is made once (a root for each choice of packages, a Node.js for each version) stays in the temporary folder, and
 * nobody changes it: a run mounts what is its own over it, in a namespace that ends with the run.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aptSources, type CallerSettings, debianMirror } from "./callerSettings.ts";

const suite = "bookworm";
/** Certificates, and what Node.js links to. */
export const barePackages = ["ca-certificates", "git", "libatomic1", "libstdc++6"];
const user = { name: "dev", id: 1000 };
/** Where Node.js belongs in a root, and the path of programs there. */
export const nodeFolder = "/opt/node";
export const path = `${nodeFolder}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
const networkFiles = ["/etc/resolv.conf", "/etc/hosts"];
const makeMsMax = 30 * 60_000;
const outputCharactersMax = 16 * 2 ** 20;
const cache = join(tmpdir(), "petstore-debian");
/** What the last run wrote, as it comes, so that a long one can be followed. */
export const logFile = join(cache, "last.log");

const thisMachine = { platform: process.platform, arch: process.arch, uid: process.getuid?.() };

/** What is missing to create such a root. */
export function unmetRequirements(here: {
  platform: string;
  arch: string;
  uid: number | undefined;
}) {
  const fits = here.platform === "linux" && ["x64", "arm64"].includes(here.arch);
  return [
    ...(fits ? [] : ["A Debian can be made on Linux, on x64 and arm64."]),
    ...(here.uid === 0 ? [] : ["Making a Debian needs root: run it as root."]),
  ];
}

/** Names what this machine lacks, and ends the script with 2. */
export function requireOrExit(commands: readonly string[], ...others: readonly string[]): void {
  const missing = ["unshare", ...commands].filter((command) => Bun.which(command) === null);
  const complaints = [
    ...unmetRequirements(thisMachine),
    ...missing.map((command) => `${command} is missing.`),
    ...others,
  ];
  if (complaints.length === 0) return;
  console.error(complaints.join("\n"));
  process.exit(2);
}

/** A folder of this run. It goes when the script ends, also by a signal; what uses it is ended before. */
export function runFolder(name: string, endUse: () => void): string {
  const folder = fs.mkdtempSync(join(tmpdir(), `petstore-${name}-`));
  process.once("exit", () => {
    endUse();
    // Processes that were just killed may still be writing.
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(1));
  return folder;
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"], timeout: makeMsMax });
}

/** Makes a folder once for all runs, whole or not at all. */
function madeOnce(name: string, make: (draft: string) => void): string {
  fs.mkdirSync(cache, { recursive: true });
  // A folder that another user created in the shared temporary folder could contain anything.
  if (fs.lstatSync(cache).uid !== 0) throw new Error(`${cache} is not root's. Remove it.`);
  const folder = join(cache, name);
  if (fs.existsSync(folder)) return folder;
  console.error(`Making ${folder}, once …`);
  const draft = fs.mkdtempSync(`${folder}-`);
  try {
    make(draft);
    fs.chmodSync(draft, 0o755);
    fs.renameSync(draft, folder);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

/** Has the packages, what they depend on, and what every Debian has. */
export function debianRoot(packages: readonly string[]): string {
  return madeOnce([suite, ...packages].join("-"), (draft) => {
    if (Bun.which("debootstrap") === null) {
      run("apt-get", "update", "-qq");
      run("apt-get", "install", "-y", "-qq", "debootstrap", "debian-archive-keyring");
    }
    const chosen = ["--variant=minbase", `--include=${packages.join(",")}`, suite, draft];
    const mirror = debianMirror(aptSources());
    // In a namespace, so that nothing stays mounted below the draft when it is killed.
    run("unshare", "--mount", "debootstrap", ...chosen, ...(mirror === undefined ? [] : [mirror]));
    run("chroot", draft, "/usr/sbin/useradd", "--create-home", `--uid=${user.id}`, user.name);
    // What a run is mounted over has to be there.
    for (const file of networkFiles) fs.appendFileSync(join(draft, file), "");
    fs.mkdirSync(join(draft, nodeFolder));
  });
}

/** Versions as npm takes them: `22`, `24.21.0`. */
export interface Runtime {
  readonly node: string;
  readonly npm: string;
}

/** Node.js and npm as the registry has them, for `nodeFolder` of a root. */
export function nodeRuntime({ node, npm }: Runtime): string {
  return madeOnce(`node-${node}-npm-${npm}`, (draft) => {
    const options = ["--global", "--ignore-scripts", "--no-audit", "--loglevel=error"];
    const versions = [`node-linux-${process.arch}@${node}`, `npm@${npm}`];
    run("npm", "install", ...options, "--prefix", draft, ...versions);
  });
}

export interface Ended {
  readonly code: number | null;
  /** stdout and stderr as they came. */
  readonly output: string;
}

export interface BareMachine {
  /** A clean clone of what is committed here, in the home of the user. */
  clone(name: string): void;
  run(command: string, where: { folder: string; runtime: Runtime; msMax: number }): Promise<Ended>;
}

/** Mounts pairs of a folder or file and its place in the root, and enters it as the user. */
const enter = `root=$1 command=$2; shift 2
  while [ $# -gt 0 ]; do mount --bind "$1" "$root$2" || exit; shift 2; done
  exec chroot --userspec=${user.name}:${user.name} "$root" bash -c "$command"`;

/** The root with a home and a temporary folder of this run, and what the caller knows of the network. */
export function bareMachine(repository: string, caller: CallerSettings): BareMachine {
  const root = debianRoot(barePackages);
  let endLast = () => {};
  const own = runFolder("machine", () => endLast());
  const [home, temporary, trusted] = [join(own, "home"), join(own, "tmp"), join(own, "trusted")];
  for (const folder of [home, temporary]) {
    fs.mkdirSync(folder);
    fs.chownSync(folder, user.id, user.id);
  }
  const mounts = [
    ...[home, `/home/${user.name}`, temporary, "/tmp", temporary, "/dev/shm"],
    ...networkFiles.filter((file) => fs.existsSync(file)).flatMap((file) => [file, file]),
  ];
  if (caller.certificates) {
    fs.writeFileSync(trusted, caller.certificates.text, { mode: 0o644 });
    mounts.push(trusted, caller.certificates.file);
  }
  fs.writeFileSync(logFile, "");

  return {
    clone(name) {
      run("git", "clone", "--quiet", "--no-hardlinks", repository, join(home, name));
      run("chown", "--recursive", `${user.id}:${user.id}`, join(home, name));
    },
    async run(command, { folder, runtime, msMax }) {
      // bash stays the first process of its namespace, which has to reap the orphans of the others.
      const whole = `cd ~/${folder} && ${command}; exit $?`;
      const namespaces = ["--pid", "--fork", "--kill-child", `--mount-proc=${root}/proc`];
      const entered = ["sh", "-c", enter, "enter", root, whole, ...mounts];
      fs.appendFileSync(logFile, `# Node.js ${runtime.node}: ${command}\n`);
      const child = spawn(
        "unshare",
        [...namespaces, ...entered, nodeRuntime(runtime), nodeFolder],
        {
          env: { PATH: path, HOME: `/home/${user.name}`, LANG: "C.UTF-8", ...caller.variables },
          stdio: ["ignore", "pipe", "pipe"],
          timeout: msMax,
          killSignal: "SIGKILL",
        },
      );
      endLast = () => void child.kill("SIGKILL");
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          output = (output + chunk).slice(-outputCharactersMax);
          fs.appendFileSync(logFile, chunk);
        });
      }
      const [code] = await once(child, "close");
      return { code, output };
    },
  };
}
