import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { Recursor } from "./resolver.ts";

const dnsPort = 53;
/** As many as the system's own resolver uses (resolv.conf(5)). */
const recursorsMax = 3;

/** The recursors that this machine is configured with. */
export function recursorsOfSystem(path = "/etc/resolv.conf"): Recursor[] {
  return textOf(path)
    .split("\n")
    .map((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? "")
    .filter((address) => isIP(address) !== 0)
    .slice(0, recursorsMax)
    .map((address) => ({ address, port: dnsPort }));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
