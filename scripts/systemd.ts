// What `npm run systemd` runs: the Debian package inside a booted systemd, from its installation to
// its purge. It needs Linux, root, systemd-nspawn and dpkg-deb, and `npm run build` before.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };
import { architectureOfHost, buildPackage } from "./deb.ts";
import { debianRoot, requireOrExit, runFolder } from "./debian/root.ts";
import { linesBelow } from "./https/guide.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bootSecondsMax = 600;
let killSystem = () => {};

/** Boots, runs the checks, and powers off. Resolves when the system is down. */
async function boot(machine: string, shared: string): Promise<void> {
  const options = [
    // The system is read-only below an overlay in memory, and on a network of its own.
    ...[`--directory=${machine}`, "--volatile=overlay", "--private-network"],
    ...["--register=no", "--keep-unit", "--console=pipe", "--quiet"],
    `--bind=${shared}:/check`,
    `--bind-ro=${join(shared, "check.service")}:/etc/systemd/system/check.service`,
    ...["--boot", "systemd.wants=check.service", "systemd.show_status=no"],
  ];
  const system = spawn("systemd-nspawn", options, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(system, "exit");
  // The leader passes on SIGTERM as a request to power off; SIGKILL takes the whole system with it.
  killSystem = () => void system.kill("SIGKILL");
  const late = setTimeout(killSystem, bootSecondsMax * 1000);
  await ended;
  clearTimeout(late);
}

const service = `[Unit]
After=multi-user.target
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/bin/bash /check/inside.sh
TimeoutStartSec=${bootSecondsMax - 60}
`;

interface JournalEntry {
  readonly _TRANSPORT?: string;
  readonly _COMM?: string;
  readonly MESSAGE?: string;
}

/** What the program itself wrote, apart from what it says on stdout once it has started. */
function notJson(journal: string): string[] {
  const messages = journal
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JournalEntry)
    .filter(({ _TRANSPORT, _COMM }) => _TRANSPORT === "stdout" && _COMM !== "systemd")
    .map(({ MESSAGE = "" }) => MESSAGE);
  const said =
    /^(?:Pet Store \(|There are no keys yet|The dashboard is at |It (?:is|will be) at |Reloaded: |petstore: )/;
  const lines = messages.filter((message) => !said.test(message));
  if (lines.length === 0) return ["The journal has no lines of the log."];
  return lines.filter((line) => {
    try {
      return typeof JSON.parse(line).event !== "string";
    } catch {
      return true;
    }
  });
}

requireOrExit(
  ["systemd-nspawn", "dpkg-deb"],
  ...(existsSync(join(root, "dist/petstore")) ? [] : ["Make dist/petstore: npm run build."]),
);
const shared = runFolder("systemd", () => killSystem());
const executable = join(root, "dist/petstore");
const architecture = architectureOfHost();
const higher = packageJson.version.replace(/^\d+/, (major) => String(Number(major) + 1));
const built = buildPackage({ executable, architecture, folder: join(shared, "first") });
buildPackage({ executable, architecture, folder: join(shared, "second"), version: higher });
cpSync(join(root, "scripts/systemd/inside.sh"), join(shared, "inside.sh"));
cpSync(join(root, "scripts/https/authority.sh"), join(shared, "authority.sh"));
const install = linesBelow("With systemd").replace(/petstore_\S+\.deb/, basename(built));
writeFileSync(join(shared, "https-install.sh"), install);
writeFileSync(join(shared, "https-check.sh"), linesBelow("What happens"));
writeFileSync(join(shared, "check.service"), service);
const packages = ["systemd", "systemd-sysv", "dbus", "curl", "procps", "openssl", "knot", "pebble"];
await boot(debianRoot(packages), shared);

const read = (name: string) =>
  existsSync(join(shared, name)) ? readFileSync(join(shared, name), "utf8") : "";
const results = read("results");
process.stdout.write(results);
const faults: string[] = [];
if (read("finished") === "") faults.push(`The checks did not finish.\n${read("output")}`);
else {
  const strange = notJson(read("journal"));
  if (strange.length === 0) console.log("pass the journal has the log, a JSON object a line");
  else faults.push(`The journal has other lines than JSON:\n${strange.slice(0, 5).join("\n")}`);
  process.stdout.write(read("security"));
}
for (const fault of faults) console.log(`FAIL ${fault}`);
const passed = results.match(/^pass /gm)?.length ?? 0;
const failed = (results.match(/^FAIL /gm)?.length ?? 0) + faults.length;
console.log(`${passed + Number(faults.length === 0)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
