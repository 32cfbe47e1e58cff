// What `npm run image` runs: deploy/Dockerfile, built by buildah and run without a container engine.
// It needs Linux, root, buildah, knot and pebble. Bases made here stand in for those of the registry:
// a Debian with Node.js to build on, and the C library alone to run on.
import { execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { parse } from "yaml";
import { freePort } from "../testkit/freePorts.ts";
import { callerSettings } from "./debian/callerSettings.ts";
import {
  barePackages,
  debianRoot,
  nodeFolder,
  nodeRuntime,
  path,
  requireOrExit,
  runFolder,
} from "./debian/root.ts";
import { linesBelow } from "./https/guide.ts";
import { Container, type ImageConfig, memoryGroup, until } from "./image/container.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const runtime = { node: "24.21.0", npm: "11.19.1" };
/** It has the schema of the Compose Specification in a package, and the schema is all we take. */
const schemaPackage = "dclint@3.1.0";
const buildSecondsMax = 1800;
const stepSecondsMax = 300;

requireOrExit(["buildah", "dpkg-deb", "apt-get", "npm", "knotd", "pebble", "curl", "nsenter"]);
let endNetwork = () => {};
const work = runFolder("image", () => {
  endNetwork();
  buildah(["umount", "--all"]);
  buildah(["rm", "--all"]);
});
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
  execFileSync("cp", ["--archive", debianRoot(barePackages), folder]);
  execFileSync("cp", [
    "--archive",
    "--no-target-directory",
    nodeRuntime(runtime),
    join(folder, nodeFolder),
  ]);
  // Devices are for buildah to make.
  for (const name of readdirSync(join(folder, "dev")))
    rmSync(join(folder, "dev", name), { recursive: true });
  const { certificates } = callerSettings(process.env);
  if (certificates) writeFileSync(join(folder, certificates.file), certificates.text);
  const variables = certificates ? [`NODE_EXTRA_CA_CERTS=${certificates.file}`] : [];
  const image = imageOf(folder, "build-base", [`PATH=${path}`, ...variables]);
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
  const file = join(root, "deploy/Dockerfile");
  const bases = [...readFileSync(file, "utf8").matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  const made = [buildBase(), runBase()];
  buildah(
    [
      ...["bud", "--quiet", "--isolation", "chroot", "--format", "docker", "--pull-never"],
      ...made.flatMap((image, index) => [
        "--build-context",
        `${bases[index]}=container-image://${image}`,
      ]),
      ...npmSettings(),
      ...["--file", file, "--tag", "localhost/petstore", root],
    ],
    buildSecondsMax,
  );
  return "localhost/petstore";
}

let passed = 0;
let failed = 0;
function check(name: string, holds: boolean, said: unknown = ""): void {
  if (holds) passed++;
  else failed++;
  console.log(holds ? `pass ${name}` : `FAIL ${name} ${JSON.stringify(said)}`);
}

function bytesOf(text: string): number {
  const [, count, unit] = /^(\d+)([mg])$/.exec(text) ?? [];
  return Number(count) * (unit === "g" ? 2 ** 30 : 2 ** 20);
}

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

function checkContents(container: string, config: ImageConfig): void {
  check("the user is a number and not root", config.User === "10001:10001", config.User);
  check("one volume", Object.keys(config.Volumes).join() === "/data", config.Volumes);
  const files = buildah(["mount", container]);
  const { uid, mode } = statSync(join(files, "data"));
  check("which is that user's alone", uid === 10001 && (mode & 0o777) === 0o700, { uid, mode });
  check("no shell is in it", !existsSync(join(files, "bin/sh")));
}

async function checkRunning(container: Container): Promise<void> {
  check("the health check fails where nothing runs", !container.isHealthy());
  check("its command serves", await container.start(), container.log);
  check("the health check passes", container.isHealthy());
  check("the process is that user", container.userId() === 10001, container.userId());
  check(
    "the log has no key and no link",
    !/pet_(?:live|test)_\w{8}|\/welcome\//.test(container.log),
  );
  const { key } = JSON.parse(container.petstore("keys", "create", "--name", "first", "--json"));
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const pets = `${container.base}/v1/pets`;
  const body = JSON.stringify({ name: "Bella", categoryId: 3 });
  const created = await fetch(pets, { method: "POST", headers, body });
  check("the first call works", created.status === 201, created.status);
  container.petstore("pets", "seed", "--count", "100000");
  const judge = [process.execPath, "src/main.ts", "check", `${container.base}/v1`, "--key", key];
  const judged = Bun.spawnSync(judge, { cwd: root, timeout: stepSecondsMax * 1000 });
  check("petstore check passes", judged.exitCode === 0, judged.stdout.toString().slice(-500));
  check("SIGTERM ends it with 0", (await container.end("SIGTERM")) === 0, container.log);
  check("it starts again", await container.start(), container.log);
  const found = await (await fetch(`${pets}?id=1`, { headers })).text();
  const database = join(work, "volume/production/petstore.db");
  check("the database is on the volume", existsSync(database));
  check("what it holds is there after a start", found.includes('"name":"Bella"'), found);
  check("SIGTERM ends it with 0 again", (await container.end("SIGTERM")) === 0, container.log);
}

/** A container of the image, and a folder for its data. */
function created(image: string, name: string) {
  const id = buildah(["from", "--pull-never", image]);
  const config: ImageConfig = JSON.parse(buildah(["inspect", id])).Docker.config;
  // Else buildah mounts a folder of its own there, over the one that it is given.
  buildah(["config", "--volume", "/data-", id]);
  const volume = join(work, name);
  mkdirSync(volume, { mode: 0o700 });
  chownSync(volume, 10001, 10001);
  return { id, config, volume, storage };
}

/**
 * A network that has nothing but a name server and a certificate authority, and lets any user open
 * port 80, as the networks of Docker do. Resolves with its process, and their folder.
 */
async function httpsNetwork() {
  const folder = join(work, "authority");
  const script = `ip link set lo up && echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start &&
    echo nameserver 127.0.0.1 >"$2" && mount --bind "$2" /etc/resolv.conf &&
    bash scripts/https/authority.sh "$1" && touch "$1/up" && exec sleep infinity`;
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child"];
  const shell = ["bash", "-c", script, "bash", folder, join(work, "resolv.conf")];
  const holder = spawn("unshare", [...namespaces, ...shell], { cwd: root, stdio: "inherit" });
  endNetwork = () => void holder.kill("SIGKILL");
  if (!(await until(() => existsSync(join(folder, "up"))))) throw new Error("No authority.");
  return { folder, enter: ["nsenter", `--target=${holder.pid}`, "--net"] };
}

/** The lines of the guide, with buildah in the place of Docker. */
async function checkHttps(image: string): Promise<void> {
  const { folder, enter } = await httpsNetwork();
  const [start = "", first = ""] = linesBelow("In a container").replace(/\\\n/g, "").split("\n");
  const words = start.split(/\s+/);
  const given = (option: string) => words.filter((_, index) => words[index - 1] === option);
  const run = `${words.slice(0, 2).join(" ")} ${words.at(-1)}`;
  check("the guide runs the image", run === "docker run petstore", start);
  check("on both ports", given("-p").join() === "80:80,443:443", given("-p"));
  check("with its volume", given("-v").join() === "petstore:/data", given("-v"));
  const parts = created(image, "https-volume");
  cpSync(join(folder, "api.pem"), join(parts.volume, "api.pem"));
  const variables = [
    ...given("-e"),
    ...["PETSTORE_ACME_DIRECTORY=https://127.0.0.1:14000/dir", "PETSTORE_ACME_TRUST=/data/api.pem"],
    ...["PETSTORE_DNS_RECURSORS=127.0.0.1", "PETSTORE_DNS_PRIVATE=on"],
  ];
  const where = { port: 8080, network: enter, group: undefined };
  const container = new Container({ ...parts, ...where, variables });
  try {
    check("it serves with a name", await container.start(), container.log);
    const [, ...args] = first.split(" petstore ");
    const printed = container.petstore(...args.join().split(" "));
    check("the guide's line makes a key", /pet_live_\w{8}/.test(printed), first);
    const [line = "", expected] = linesBelow("What happens").trim().split(/ +# /);
    const env = { ...process.env, CURL_CA_BUNDLE: join(folder, "root.pem"), no_proxy: "*" };
    const ask = () =>
      Bun.spawnSync([...enter, "--mount", "sh", "-c", line], { env }).stdout.toString();
    await until(() => ask() === expected);
    check("its name is served over HTTPS", ask() === expected, container.log.slice(-2_000));
  } finally {
    await container.end("SIGTERM");
    endNetwork();
  }
}

async function run(image: string): Promise<void> {
  const { id, config, volume } = created(image, "volume");
  checkContents(id, config);
  const compose = parse(readFileSync(join(root, "deploy/compose.yaml"), "utf8"), { merge: true });
  const limit: string = compose.services.production.mem_limit;
  const group = memoryGroup(basename(work), bytesOf(limit));
  const container = new Container({ id, config, port: await freePort(), volume, storage, group });
  try {
    await checkRunning(container);
    if (group === undefined) {
      console.log("skip the memory limit: this machine has no memory cgroup that can be written");
    } else {
      const peak = Math.round(group.peakBytes() / 1e6);
      const name = `nothing was killed within ${limit} (peak ${peak} MB, with the page cache)`;
      check(name, group.kills() === 0);
    }
  } finally {
    await container.end("SIGKILL");
    group?.remove();
  }
}

try {
  checkCompose();
  const startedMs = performance.now();
  const image = build();
  const { size } = JSON.parse(buildah(["images", "--json", image]))[0];
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`built in ${seconds} s: ${size}`);
  await run(image);
  await checkHttps(image);
} catch (cause) {
  check("all checks were made", false, String(cause));
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
