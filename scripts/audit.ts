// What `npm run audit` does: holds the dependencies to docs/security.md, which needs no network, and
// asks the registry whether anything is known against those that production runs on.
import { existsSync, readFileSync } from "node:fs";
import {
  documentedIn,
  type Lock,
  type Manifest,
  manifestComplaints,
} from "./audit/dependencies.ts";
import { advisories, askNpm, signatures, type Verdict } from "./audit/registry.ts";

const root = new URL("..", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

const complaints = manifestComplaints({
  manifest: JSON.parse(read("package.json")) as Manifest,
  lock: JSON.parse(read("package-lock.json")) as Lock,
  documented: documentedIn(read("docs/security.md")),
  isInstalled: (folder) => existsSync(new URL(folder, root)),
});
for (const complaint of complaints) console.log(`FAILED: ${complaint}`);
if (complaints.length === 0) console.log("ok: dependencies are pinned, locked and documented");

const asked: readonly (readonly [what: string, verdict: Verdict])[] = [
  ["advisories", advisories(askNpm(["audit", "--omit=dev"], root))],
  ["signatures", signatures(askNpm(["audit", "signatures", "--omit=dev"], root))],
];
for (const [what, { kind, lines }] of asked) {
  for (const line of lines) console.log(line);
  if (kind === "fine") console.log(`ok: ${what}`);
  else if (kind === "unknown")
    console.log(`not audited: ${what}, because the registry did not say`);
  else console.log(`FAILED: ${what}`);
}
const failed = complaints.length > 0 || asked.some(([, { kind }]) => kind === "bad");
process.exit(failed ? 1 : 0);
