/** Commands whose process ends together with this one, however this one ends. */
import { existsSync } from "node:fs";

const setpriv = "/usr/bin/setpriv";

export const isRoot = process.getuid?.() === 0;
/** What servers run as that refuse to run as root. */
export const nobodyId = 65534;

interface Terms {
  /** What the process gets when this one has ended. */
  readonly signal: "QUIT" | "KILL";
  /** Whether it runs as `nobody` where this process is root's. */
  readonly asNobody?: boolean;
}

/** As `spawn` takes it. Without setpriv (util-linux) it is the command as it was. */
export function dieWithParent(
  [program = "", ...parameters]: readonly string[],
  { signal, asNobody = false }: Terms,
): [string, string[]] {
  if (!existsSync(setpriv)) return [program, parameters];
  const ids = [`--reuid=${nobodyId}`, `--regid=${nobodyId}`, "--clear-groups"];
  const user = isRoot && asNobody ? ids : [];
  return [setpriv, ["--pdeathsig", signal, ...user, "--", program, ...parameters]];
}
