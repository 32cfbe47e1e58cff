// What `npm run image` runs: deploy/Dockerfile, built by buildah and run without a container engine.
// It needs Linux, root, buildah and debootstrap. Bases made here stand in for those of the registry:
// a Debian with Node.js to build on, and the C library alone to run on.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { parse } from "yaml";
import { debianRoot, requireOrExit } from "./debianRoot.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const nodeVersion = "24.21.0";
/** It has the schema of the Compose Specification in a package, and the schema is all we take. */
const schemaPackage = "dclint@3.1.0";
const buildSecondsMax = 1800;
const stepSecondsMax = 300;
const readySecondsMax = 60;

requireOrExit(["buildah", "debootstrap", "dpkg-deb", "apt-get"]);
const work = mkdtempSync(join(tmpdir(), "petstore-image-"));
const storage = ["--root", join(work, "storage"), "--runroot", join(work, "run")];

function buildah(args: readonly string[], secondsMax = stepSecondsMax): string {
  return execFileSync("buildah", [...storage, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: secondsMax * 1000,
  }).trim();
}

/** An image of the contents of a folder. */
function imageOf(folder: string, name: string, variables: readonly string[] = []): string {
  const container = buildah(["from", "scratch"]);
  buildah(["copy", "--quiet", container, folder, "/"], buildSecondsMax);
  for (const variable of variables) buildah(["config", "--env", variable, container]);
  buildah(["commit", "--quiet", "--rm", container, `localhost/${name}`], buildSecondsMax);
  return `localhost/${name}`;
}

/** A package of npm, unpacked in a folder of its own. */
function unpacked(name: string): string {
  const at = mkdtempSync(join(work, "npm-"));
  const pack = ["pack", "--silent", "--pack-destination", at, name];
  const packed = execFileSync("npm", pack, { encoding: "utf8", timeout: stepSecondsMax * 1000 });
  execFileSync("tar", ["--extract", "--file", join(at, packed.trim()), "--directory", at]);
  return join(at, "package");
}

/** As node:24-bookworm-slim: Debian, Node.js and npm; and what this machine trusts. */
function buildBase(): string {
  const folder = join(work, "build-base");
  execFileSync("cp", ["--archive", debianRoot(), folder]);
  // Devices are for buildah to make.
  for (const name of readdirSync(join(folder, "dev")))
    rmSync(join(folder, "dev", name), { recursive: true });
  cpSync(
    join(unpacked(`node-linux-${process.arch}@${nodeVersion}`), "bin/node"),
    join(folder, "usr/bin/node"),
  );
  cpSync(unpacked("npm@11"), join(folder, "usr/lib/node_modules/npm"), { recursive: true });
  writeFileSync(
    join(folder, "usr/bin/npm"),
    '#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  );
  const trusted = process.env.NODE_EXTRA_CA_CERTS;
  if (trusted !== undefined) cpSync(trusted, join(folder, "etc/extra.pem"), { dereference: true });
  const variables = trusted === undefined ? [] : ["NODE_EXTRA_CA_CERTS=/etc/extra.pem"];
  const image = imageOf(folder, "build-base", ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", ...variables]);
  rmSync(folder, { recursive: true });
  return image;
}

/** As distroless/base-nossl: the C library. */
function runBase(): string {
  const folder = join(work, "base");
  mkdirSync(join(folder, "etc"), { recursive: true });
  execFileSync("apt-get", ["download", "--quiet", "libc6"], { cwd: work, stdio: "ignore" });
  const [archive] = readdirSync(work).filter((name) => /^libc6_.*\.deb$/.test(name));
  execFileSync("dpkg-deb", ["--extract", join(work, archive ?? ""), folder]);
  mkdirSync(join(folder, "tmp"), { mode: 0o1777 });
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0:root:/root:/sbin/nologin\n");
  return imageOf(folder, "base");
}

/** npm's settings are seen by the build, and are in none of its layers. */
function npmSettings(): string[] {
  const files = [
    [join(homedir(), ".npmrc"), "/root/.npmrc"],
    [
      execFileSync("npm", ["config", "get", "globalconfig"], { encoding: "utf8" }).trim(),
      "/usr/etc/npmrc",
    ],
  ] as const;
  return files
    .filter(([file]) => existsSync(file))
    .flatMap(([file, seen]) => ["--volume", `${file}:${seen}:ro`]);
}

function build(): string {
  const bases = { BUILD_BASE: buildBase(), BASE: runBase() };
  buildah(
    [
      ...["bud", "--quiet", "--isolation", "chroot", "--format", "docker", "--pull-never"],
      ...Object.entries(bases).flatMap(([name, image]) => ["--build-arg", `${name}=${image}`]),
      ...npmSettings(),
      ...["--file", join(root, "deploy/Dockerfile"), "--tag", "localhost/petstore", root],
    ],
    buildSecondsMax,
  );
  return "localhost/petstore";
}

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

let passed = 0;
let failed = 0;
function check(name: string, holds: boolean, said: unknown = ""): void {
  if (holds) passed++;
  else failed++;
  console.log(holds ? `pass ${name}` : `FAIL ${name} ${JSON.stringify(said)}`);
}

/** A group of processes with the memory of the compose file; undefined where there can be none. */
function memoryGroup(bytes: number) {
  const v1 = existsSync("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  const folder = join(v1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup", basename(work));
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
    // Empty once the last process is gone.
    remove: () => execFileSync("rmdir", [folder]),
  };
}

function bytesOf(text: string): number {
  const [, count, unit] = /^(\d+)([mg])$/.exec(text) ?? [];
  return Number(count) * (unit === "g" ? 2 ** 30 : 2 ** 20);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
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

async function until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + readySecondsMax * 1000;
  while (performance.now() < deadline) {
    if (await holds()) return true;
    await Bun.sleep(100);
  }
  return false;
}

const idOf = (pid: number) =>
  Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** What the schema has against the compose files. */
function checkCompose(): void {
  const schema = JSON.parse(
    readFileSync(join(unpacked(schemaPackage), "schemas/compose.schema.json"), "utf8"),
  );
  // It names its own schema by an address that Ajv knows by another scheme.
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  for (const file of ["compose.yaml", "compose.domains.yaml"]) {
    const read = parse(readFileSync(join(root, "deploy", file), "utf8"), { merge: true });
    check(`${file} follows the Compose Specification`, validate(read), validate.errors);
  }
}

async function run(image: string): Promise<void> {
  const container = buildah(["from", "--pull-never", image]);
  const config: ImageConfig = JSON.parse(buildah(["inspect", container])).Docker.config;
  check("the user is a number and not root", config.User === "10001:10001", config.User);
  check("one volume", Object.keys(config.Volumes).join() === "/data", config.Volumes);
  check("no shell is in it", !existsSync(join(buildah(["mount", container]), "bin/sh")));

  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const volume = join(work, "volume");
  mkdirSync(volume, { mode: 0o700 });
  chownSync(volume, 10001, 10001);
  const inside = (command: readonly string[]) => [
    ...["run", "--isolation", "chroot", "--volume", `${volume}:/data`],
    ...["--env", `PORT=${port}`, "--env", "PETSTORE_METRICS_PORT=off", container, "--", ...command],
  ];
  const program = (...args: string[]) => inside([...config.Entrypoint, ...args]);
  const status = (args: readonly string[]) =>
    Bun.spawnSync(["buildah", ...storage, ...args], { timeout: stepSecondsMax * 1000 }).exitCode;
  const [kind, ...healthcheck] = config.Healthcheck.Test;
  const healthy = () => kind === "CMD" && status(inside(healthcheck)) === 0;

  const compose = parse(readFileSync(join(root, "deploy/compose.yaml"), "utf8"), { merge: true });
  const limit: string = compose.services.production.mem_limit;
  const group = memoryGroup(bytesOf(limit));
  const start = (): ChildProcess => {
    const line = ["buildah", ...storage, ...program(...config.Cmd)];
    const joined =
      group === undefined
        ? line
        : ["sh", "-c", `echo $$ >${group.processes}; exec "$@"`, "sh", ...line];
    const [file = "", ...args] = joined;
    return spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
  };
  const ready = () =>
    fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  /** Ends it as an engine does, by SIGTERM to the program itself. */
  const stop = async (service: ChildProcess): Promise<number | null> => {
    const exited = once(service, "exit");
    const pid = programBelow(service.pid ?? 0);
    if (pid === undefined) throw new Error("The program does not run.");
    process.kill(pid, "SIGTERM");
    const late = setTimeout(() => service.kill("SIGKILL"), stepSecondsMax * 1000);
    const [code] = await exited;
    clearTimeout(late);
    return code;
  };

  check("the health check fails where nothing runs", !healthy());
  const first = start();
  let log = "";
  first.stdout?.on("data", (chunk) => {
    log += chunk;
  });
  first.stderr?.on("data", (chunk) => {
    log += chunk;
  });
  check("its command serves", await until(ready), log);
  check("the health check passes", healthy());
  const pid = programBelow(first.pid ?? 0) ?? 0;
  check("the process is that user", idOf(pid) === 10001, idOf(pid));
  check("the log has no key and no link", !/pet_(?:live|test)_\w{8}|\/welcome\//.test(log), log);
  const { key } = JSON.parse(buildah(program("keys", "create", "--name", "first", "--json")));
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "Bella", categoryId: 3 });
  const created = await fetch(`${base}/v1/pets`, { method: "POST", headers, body });
  check("the first call works", created.status === 201, created.status);
  buildah(program("pets", "seed", "--count", "100000"));
  const judged = Bun.spawnSync(
    [process.execPath, "src/main.ts", "check", `${base}/v1`, "--key", key],
    {
      cwd: root,
      timeout: stepSecondsMax * 1000,
    },
  );
  check("petstore check passes", judged.exitCode === 0, judged.stdout.toString().slice(-500));
  if (group === undefined) {
    console.log("skip the memory limit: this machine has no memory cgroup that can be written");
  } else {
    const peak = Math.round(group.peakBytes() / 1e6);
    check(
      `nothing was killed within ${limit} (peak ${peak} MB, with the page cache)`,
      group.kills() === 0,
    );
  }
  check("SIGTERM ends it with 0", (await stop(first)) === 0, log);

  const second = start();
  check("it starts again", await until(ready));
  const pets = await (await fetch(`${base}/v1/pets?id=1`, { headers })).text();
  check("what the volume holds is there", pets.includes('"name":"Bella"'), pets);
  check("and is readable by its user alone", (statSync(volume).mode & 0o077) === 0);
  check("SIGTERM ends it with 0 again", (await stop(second)) === 0);
  group?.remove();
}

try {
  checkCompose();
  const startedMs = performance.now();
  const image = build();
  const { size } = JSON.parse(buildah(["images", "--json", image]))[0];
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`built in ${seconds} s: ${size}`);
  await run(image);
} finally {
  buildah(["umount", "--all"]);
  buildah(["rm", "--all"]);
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
