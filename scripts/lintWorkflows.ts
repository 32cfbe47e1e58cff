// What `npm run lint:workflows` does: checks .github/workflows, and the workflow that is for others to
// copy, with actionlint, which is taken from the path or fetched by Go. Where neither is there it says so and passes; with --required it fails.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The last one that was tried here. An actionlint on the path may be another. */
const actionlintVersion = "v1.7.12";

const root = fileURLToPath(new URL("..", import.meta.url));
const required = process.argv.includes("--required");

const command = commandOrSkip();
// Shell scripts within the workflows are checked only where shellcheck is installed.
const shellcheck = Bun.which("shellcheck");
const folder = ".github/workflows";
const files = readdirSync(join(root, folder)).map((file) => join(folder, file));
const { status, error } = spawnSync(
  command[0],
  [...command.slice(1), ...files, "deploy/ci/github.yml"],
  { cwd: root, stdio: "inherit" },
);
if (error !== undefined) console.error(error.message);
const scripts = shellcheck === null ? "without their shell scripts: no shellcheck" : "all of it";
console.log(status === 0 ? `ok: workflows, ${scripts}` : "FAILED: workflows");
process.exit(status === 0 && !(required && shellcheck === null) ? 0 : 1);

function commandOrSkip(): [string, ...string[]] {
  if (Bun.which("actionlint") !== null) return ["actionlint"];
  const tool = `github.com/rhysd/actionlint/cmd/actionlint@${actionlintVersion}`;
  if (Bun.which("go") !== null) return ["go", "run", tool];
  console.log("not checked: workflows, because neither actionlint nor Go is installed");
  process.exit(required ? 1 : 0);
}
