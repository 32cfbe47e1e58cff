import { parts } from "../check/check.ts";
import { partNames } from "../check/checks.ts";
import { countOf, reportJson, reportJunit, reportText } from "../check/report.ts";
import {
  boundsText,
  type RunOptions,
  type RunReport,
  runChecks,
  Unreachable,
} from "../check/runChecks.ts";
import type { Command } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure, explain, UsageError } from "./errors.ts";
import { createFile, type NewFile } from "./files.ts";
import { readBaseUrl, readChoice } from "./readText.ts";
import { saying } from "./stopping.ts";

const keyVariable = "PETSTORE_CHECK_KEY";

export const check: Command = {
  name: "check",
  summary: "Judge a running service, ours or another, by the interface",
  operands: { "<base-url>": "The address that ends in /v1" },
  options: {
    "key <key>": `An API key of all scopes (default: ${keyVariable})`,
    "only <part>": "Only this part, or several with commas between",
    "junit <file>": "Write a JUnit report, in place of one that is there",
  },
  about: [
    "It creates pets and orders some, and deletes the pets afterwards. Orders stay, as cancelled or\ndelivered ones: check staging, or a copy.",
    `Bounds: ${boundsText}.`,
    "Exit code: 0 all passed, 1 some failed, 2 not understood, no answer or a refused key.",
    "",
    "Parts:",
    ...partNames.map((part) => `  ${part.padEnd(12)}  ${parts[part]}`),
  ].join("\n"),
  examples: [
    `${keyVariable}=… petstore check http://127.0.0.1:8080/v1`,
    "petstore check https://staging.example.com/v1 --only core --junit check.xml",
  ],
  async run({ operand, values, switches }, context) {
    const base = readBaseUrl("<base-url>", operand);
    const key = readKey(values.get("key") ?? process.env[keyVariable]);
    const only = values
      .get("only")
      ?.split(",")
      .map((word) => readChoice("--only", word.trim(), partNames));
    const task = { base, key, only, stop: context.stopSignal(), clock: context.clock };
    // Created first, so that a file that cannot be written is reported at the start.
    const file = await openReport(values.get("junit"), context);
    const report = await judge(task, context).catch(async (cause: unknown) => {
      await file?.drop();
      throw cause;
    });
    const written =
      file === undefined || (await writeReport(report, file, switches.has("json"), context));
    const failed = countOf(report).failed > 0;
    const exitCode = written ? Number(failed) : 2;
    return { json: reportJson(report), text: reportText(report), exitCode };
  },
};

async function judge(task: RunOptions, { stderr }: CliContext): Promise<RunReport> {
  const watched = stderr.isTTY === true;
  const progress = (done: number, total: number) => {
    if (watched) stderr.write(`\rChecking  ${done} of ${total}\x1b[K`);
  };
  try {
    return await runChecks({ ...task, progress }).catch(saying("There is no report."));
  } catch (cause) {
    throw cause instanceof Unreachable ? new UsageError(cause.message) : cause;
  } finally {
    if (watched) stderr.write("\r\x1b[K");
  }
}

function readKey(text: string | undefined): string {
  // A value that no header can carry would fail every request with an unclear error.
  if (text !== undefined && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(
    text === undefined || text === ""
      ? `A key is needed: set ${keyVariable}, or add --key <key>. Make one with petstore keys create.`
      : "The key must have visible ASCII characters only.",
  );
}

/** Whether it could be written. If not, it says why; the report is known all the same. */
async function writeReport(
  report: RunReport,
  file: NewFile,
  json: boolean,
  { stderr }: CliContext,
): Promise<boolean> {
  try {
    await file.write(reportJunit(report));
    await file.keep();
    return true;
  } catch (cause) {
    await file.drop().catch(() => {});
    const error = explain(cause);
    stderr.write(`${json ? JSON.stringify({ error, exitCode: 2 }) : `petstore: ${error}`}\n`);
    return false;
  }
}

/** 2, not 1: exit code 1 says that the service failed a check. */
async function openReport(
  file: string | undefined,
  context: CliContext,
): Promise<NewFile | undefined> {
  if (file === undefined) return undefined;
  return createFile(file, true, context.clock).catch((cause: unknown) => {
    throw cause instanceof CommandFailure ? new UsageError(cause.message) : cause;
  });
}
