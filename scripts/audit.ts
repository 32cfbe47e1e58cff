// What `npm run audit` does: holds the dependencies to docs/security.md, which needs no network, and
// asks the registry whether anything is known against those that production runs on.
import { existsSync, readFileSync } from "node:fs";
import {
  allowedScripts,
  documentedIn,
  type Lock,
  type Locked,
  lockComplaints,
  type Manifest,
  manifestComplaints,
} from "./audit/dependencies.ts";
import { advisories, askNpm, signatures, type Verdict } from "./audit/registry.ts";

const root = new URL("..", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

const lockedIn = (place: string): Locked => ({
  manifest: JSON.parse(read(`${place}package.json`)) as Manifest,
  lock: JSON.parse(read(`${place}package-lock.json`)) as Lock,
  isInstalled: (folder) => existsSync(new URL(`${place}${folder}`, root)),
});
/** Installed by `npm run bench`, and not part of the service. */
const peersPlace = "bench/peers/";

const own = lockedIn("");
const peers = lockedIn(peersPlace);
const documented = documentedIn(read("docs/security.md"));
const complaints = [
  ...manifestComplaints({ ...own, documented }),
  ...lockComplaints(peers).map((complaint) => `${peersPlace}: ${complaint}`),
];
for (const complaint of complaints) console.log(`FAILED: ${complaint}`);
if (complaints.length === 0) {
  console.log("ok: dependencies are pinned, locked and documented");
  console.log(`ok: what ${peersPlace} compares with is pinned and locked`);
}
for (const [place, { manifest }] of [
  ["here", own],
  [peersPlace, peers],
] as const) {
  const names = allowedScripts(manifest).join(", ") || "none";
  console.log(`may run a script when installed, ${place}: ${names}`);
}

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
