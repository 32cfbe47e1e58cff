/** Programs that end together with this process, however it ends. */
import { existsSync } from "node:fs";

export const isRoot = process.getuid?.() === 0;
/** PostgreSQL refuses to run as root. */
export const nobodyId = 65534;

interface Bond {
  readonly signal: "QUIT" | "KILL";
  readonly asNobody: boolean;
}

export function bound(command: readonly string[], { signal, asNobody }: Bond): [string, string[]] {
  const [program = "", ...parameters] = command;
  if (!existsSync("/usr/bin/setpriv")) return [program, parameters];
  const ids = [`--reuid=${nobodyId}`, `--regid=${nobodyId}`, "--clear-groups"];
  const user = isRoot && asNobody ? ids : [];
  return ["/usr/bin/setpriv", ["--pdeathsig", signal, ...user, program, ...parameters]];
}
