import { withoutTokens } from "../petstore/keys/token.ts";
import { type Report, readCall } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure, explain } from "./errors.ts";
import { isReaderGone } from "./output.ts";
import { serve } from "./serviceCommands.ts";

/**
 * Runs a command line. Returns the exit code: 0 done, 1 refused or failed, 2 not understood,
 * above 128 stopped by a signal.
 */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    const report = await outcomeOf(argv, context);
    if (report === undefined) return 0;
    const text = wantsJson(argv) ? `${exactJson(report.json)}\n` : report.text;
    context.stdout.write(text);
    // Success only once the output is written: a full disk is a failure. A reader that has
    // seen enough (`| head`) changes nothing about what was found.
    await context.stdout.drained().catch((cause) => {
      if (!isReaderGone(cause)) throw cause;
    });
    return report.exitCode ?? 0;
  } catch (cause) {
    // Not a failure: `petstore … | head`.
    if (isReaderGone(cause)) return 0;
    const { exitCode = 1, lines, code } = cause instanceof CommandFailure ? cause.details : {};
    const message = explain(cause);
    const said = wantsJson(argv)
      ? JSON.stringify({ error: message, code, exitCode, lines })
      : `petstore: ${message}`;
    // Whatever is repeated here may hold a key that was typed.
    context.stderr.write(`${withoutTokens(said)}\n`);
    return exitCode;
  }
}

async function outcomeOf(
  argv: readonly string[],
  context: CliContext,
): Promise<Report | undefined> {
  // Loading the other commands would take longer than the service takes to start.
  if (argv.length === 1 && argv[0] === serve.name) return serve.run(readCall(serve, []), context);
  const { dispatch } = await import("./dispatch.ts");
  return dispatch(argv, context);
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}

/** A bigint is written as the number it is, digit for digit. */
function exactJson(value: unknown): string {
  // TypeScript does not know this part of ECMAScript yet.
  const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "bigint" ? rawJSON(part.toString()) : part,
  );
}
