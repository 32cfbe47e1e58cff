/** testssl.sh: all that it looks at in the TLS of the edge, with our authority as a trusted one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type LiveEdge, onEdge, runNamed, siteName } from "../edge.ts";
import { Missing, run, scratch } from "../run.ts";
import type { Outcome, Suite } from "../suite.ts";

export const testssl: Suite = {
  name: "testssl.sh on the edge",
  slug: "testssl",
  quick: false,
  run: () => onEdge(runTestssl),
};

export interface Finding {
  readonly id: string;
  readonly severity: string;
  readonly finding: string;
}

async function runTestssl({ httpsPort, caFile }: LiveEdge): Promise<Outcome> {
  const command = Bun.which("testssl") ?? Bun.which("testssl.sh");
  if (command === null) throw new Missing("testssl: apt-get install testssl.sh");
  const report = join(scratch, "testssl.json");
  const how = ["--quiet", "--warnings", "off", "--nodns", "none", "--ip", "127.0.0.1"];
  const where = ["--add-ca", caFile, "--jsonfile", report, `${siteName}:${httpsPort}`];
  const { text } = await runNamed(command, [...how, ...where]);
  const found = JSON.parse(readFileSync(report, "utf8")) as readonly Finding[];
  if (!found.some(({ id }) => id === "scanTime")) throw new Error(`It did not end:\n${text}`);
  const version = await run(command, ["--version"], scratch);
  const { 1: number = "unknown" } = /testssl(?:\.sh)?\s+(\d[\w.]*)/.exec(version.text) ?? [];
  return { version: number, ...judgeFindings(found) };
}

/** About the machine that it runs on, and what it measured, not about the server. */
const notOurs = ["engine_problem", "scanTime"];

/** What it neither approves of nor merely states has failed. */
export function judgeFindings(found: readonly Finding[]): Omit<Outcome, "version"> {
  const judged = found.filter(({ id }) => !notOurs.includes(id));
  const failures = judged
    .filter(({ severity }) => !/^(?:OK|INFO)$/.test(severity))
    .map(({ id, severity, finding }) => ({ id, says: `${severity}: ${finding}` }));
  return { passed: judged.length - failures.length, failures };
}
