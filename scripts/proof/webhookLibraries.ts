/** The published libraries of Standard Webhooks, each of which says whether it accepts a message. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { cacheFolder } from "./cachedTools.ts";

export interface ReceivedMessage {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Verdict = "accepted" | "refused";
type Verify = (messages: readonly ReceivedMessage[]) => readonly Verdict[];

const folder = fileURLToPath(new URL("../../test/webhooks/receivers/", import.meta.url));
/** Nothing is downloaded by a test. */
const env = { ...process.env, GOPROXY: "off", GOFLAGS: "-mod=mod" };

/** Each language's, or undefined where `.ci/run install` did not install it. */
export function webhookLibraries(): Readonly<Record<string, Verify | undefined>> {
  // Where `.ci/run` installs it, or wherever it is.
  const python = [join(cacheFolder, "webhook-receivers/bin/python"), "python3"].find(
    (command) => spawnSync(command, ["-c", "import standardwebhooks"]).status === 0,
  );
  const hasGo = spawnSync("go", ["list", "-deps", "."], { cwd: folder, env }).status === 0;
  return {
    JavaScript: (messages) => messages.map(verdictInProcess),
    Python: python === undefined ? undefined : byProgram(python, "verify.py"),
    Go: hasGo ? byProgram("go", "run", ".") : undefined,
  };
}

function verdictInProcess({ secret, headers, body }: ReceivedMessage): Verdict {
  try {
    new Webhook(secret).verify(body, headers);
    return "accepted";
  } catch {
    return "refused";
  }
}

/** A program that reads a message from each line, and answers with a line. */
function byProgram(program: string, ...args: readonly string[]): Verify {
  return (messages) => {
    const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
    const { stdout, stderr } = spawnSync(program, args, {
      ...{ cwd: folder, env, input, encoding: "utf8", maxBuffer: 2 ** 26 },
    });
    if (stderr !== "") throw new Error(`${program} wrote to stderr: ${stderr}`);
    return stdout.trim().split("\n") as Verdict[];
  };
}
