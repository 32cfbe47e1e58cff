/** A bare Debian in a folder, for what has to be tried on a system other than this one. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const suite = "bookworm";
const secondsMax = 1800;

/** Made once. Whoever uses it leaves it as it is. */
export function debianRoot(): string {
  const folder = join(root, "node_modules/.cache/petstore-systemd", suite);
  if (existsSync(folder)) return folder;
  console.log(`debootstrap ${suite}, once`);
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const options = ["--variant=minbase", "--include=systemd,systemd-sysv,dbus,curl,procps"];
  const made = spawnSync("debootstrap", [...options, suite, draft], {
    stdio: ["ignore", "ignore", "inherit"],
    timeout: secondsMax * 1000,
  });
  if (made.status !== 0) throw new Error("debootstrap failed.");
  renameSync(draft, folder);
  return folder;
}

/** Names what this machine lacks, and ends the script with 2. */
export function requireOrExit(commands: readonly string[], ...others: readonly string[]): void {
  const missing = commands.filter(
    (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status !== 0,
  );
  const complaints = [
    ...(process.getuid?.() === 0 ? [] : ["It must run as root."]),
    ...missing.map((command) => `${command} is missing.`),
    ...others,
  ];
  if (complaints.length === 0) return;
  console.error(complaints.join("\n"));
  process.exit(2);
}
