/** One process of the service, as its users start it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { dieWithParent } from "../../testkit/dieWithParent.ts";
import { eventually } from "../../testkit/eventually.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface ServiceProcess {
  /** `http://127.0.0.1:40123/v1` */
  readonly base: string;
  /** Resolves with the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

export async function startService(variables: Record<string, string>): Promise<ServiceProcess> {
  const command = [process.execPath, main, "serve"];
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(...dieWithParent(command, { signal: "KILL" }), {
    env: { PATH, HOME, PORT: "0", PETSTORE_METRICS_PORT: "off", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      said = `${said}${text}`.slice(-10_000);
    });
  }
  await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`The service ended: ${said}`);
      return /listens on \S+/.test(said);
    },
    () => `The service does not start: ${said}`,
  );
  return {
    base: /listens on (\S+)/.exec(said)?.[1] ?? "",
    async end(signal) {
      child.kill(signal);
      const [code, by] = await ended;
      return code ?? by;
    },
  };
}
