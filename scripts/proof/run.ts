/** Runs tools as processes of their own, which end when the run does. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const scratch = mkdtempSync(join(tmpdir(), "petstore-proof-"));
const toolMsMax = 900_000;

/** A missing requirement of a tool, reported without a stack. */
export class Missing extends Error {}

const children = new Set<ChildProcess>();

/** Ends the process with the run, unless it ended before. */
export function endWithRun(child: ChildProcess): void {
  children.add(child);
  child.once("close", () => children.delete(child));
}

process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
});
// Leaving by `exit` lets the handler above stop what was started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<{ code: number | null; text: string }> {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: toolMsMax,
    killSignal: "SIGKILL",
  });
  endWithRun(child);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, "close");
  return { code, text };
}
