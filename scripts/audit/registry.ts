/** What the registry knows of the dependencies, as npm tells it. */
import { spawnSync } from "node:child_process";

export interface Verdict {
  readonly kind: "fine" | "bad" | "unknown";
  /** For people, one matter each. */
  readonly lines: readonly string[];
}

const waitMsMax = 120_000;

/** What npm prints, as JSON; undefined where it prints none. */
export function askNpm(command: readonly string[], folder: URL): unknown {
  const patience = ["--fetch-retries=1", "--fetch-timeout=20000"];
  const { stdout } = spawnSync("npm", [...command, "--json", ...patience], {
    cwd: folder,
    encoding: "utf8",
    timeout: waitMsMax,
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

interface Vulnerability {
  readonly severity: string;
  readonly range: string;
}

const severe = ["high", "critical"];

/** A severity of high or above fails the audit; anything less is reported. */
export function advisories(answer: unknown): Verdict {
  const { vulnerabilities } = membersOf(answer);
  if (typeof vulnerabilities !== "object" || vulnerabilities === null) return unknown(answer);
  const found = Object.entries(vulnerabilities as Record<string, Vulnerability>);
  const lines = found.map(([name, { severity, range }]) => `${name} ${range}: ${severity}`);
  const bad = found.some(([, { severity }]) => severe.includes(severity));
  return { kind: bad ? "bad" : "fine", lines };
}

/** A missing signature is reported; a wrong one fails the audit. */
export function signatures(answer: unknown): Verdict {
  const { invalid, missing } = membersOf(answer);
  if (!Array.isArray(invalid) || !Array.isArray(missing)) return unknown(answer);
  const lines = [
    ...invalid.map((each) => `${nameOf(each)}: its signature is wrong`),
    ...missing.map((each) => `${nameOf(each)}: it has no signature`),
  ];
  return { kind: invalid.length > 0 ? "bad" : "fine", lines };
}

function nameOf(found: unknown): string {
  const { name, version } = membersOf(found);
  return `${name}@${version}`;
}

function unknown(answer: unknown): Verdict {
  const { message, error } = membersOf(answer);
  const { summary, code } = membersOf(error);
  const why = [message, code, summary].find((each) => typeof each === "string" && each !== "");
  // Without the registry URL, which depends on the machine.
  const words = typeof why === "string" ? why.replace(/\s*(?:- \w+ )?https?:\S+/g, "") : undefined;
  return { kind: "unknown", lines: words === undefined ? [] : [`npm says: ${words}`] };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
