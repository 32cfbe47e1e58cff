/** Runs Debian's `wrk` and reads what it says. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Call } from "./works.ts";

const script = fileURLToPath(new URL("load.lua", import.meta.url));
const connectionsDefault = 64;
const answerSecondsMax = 30;

export interface Load {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers of 400 and above, and connections that broke. A fair measurement has none. */
  readonly faults: number;
  /** Of the client beside the load, where the work has one. */
  readonly ordersPerSecond?: number;
}

export interface LoadOrder {
  readonly port: number;
  /** A file that `writeCalls` made. */
  readonly calls: string;
  readonly seconds: number;
  readonly connections?: number;
  /** How long each connection rests between an answer and its next request. */
  readonly pauseMs?: number;
  /** Over TLS, for a host name and with this configuration of OpenSSL. */
  readonly tls?: { readonly host: string; readonly opensslConfig: string };
}

export interface CallsFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: readonly Call[];
  /** Ids run from 1 to here. */
  readonly ids: number;
}

export function writeCalls(path: string, { headers, calls, ids }: CallsFile): void {
  const lines = [`ids\t${ids}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`header\t${name}\t${value}`);
  for (const { method, path, body, headers: own } of calls) {
    // They hold for this call and those after it, which have their own then.
    for (const [name, value] of Object.entries(own ?? {})) lines.push(`header\t${name}\t${value}`);
    lines.push(`call\t${method}\t${path}\t${body ?? ""}`);
  }
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
}

/** No two loads of one run create pets of the same name. */
let ordinal = 0;

export async function applyLoad(order: LoadOrder): Promise<Load> {
  const { tls } = order;
  const origin = tls === undefined ? "http://127.0.0.1" : `https://${tls.host}`;
  const args = [
    "--threads=1",
    `--connections=${order.connections ?? connectionsDefault}`,
    `--duration=${order.seconds}s`,
    `--timeout=${answerSecondsMax}s`,
    `--script=${script}`,
    `${origin}:${order.port}`,
    "--",
    order.calls,
    String(++ordinal),
    String(order.pauseMs ?? 0),
  ];
  const env = { ...process.env, ...(tls && { OPENSSL_CONF: tls.opensslConfig }) };
  const { stdout } = await promisify(execFile)("wrk", args, { env });
  return readFigures(stdout);
}

export function readFigures(stdout: string): Load {
  const line = /^figures (\{.*\})$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`wrk gave no figures:\n${stdout}`);
  const said = JSON.parse(line) as Record<string, number>;
  const figure = (name: string) => {
    const value = said[name];
    if (value === undefined) throw new Error(`wrk gave no ${name}: ${line}`);
    return value;
  };
  const requests = figure("requests");
  const seconds = figure("durationUs") / 1e6;
  // Who got no answer at all waited at least until the end.
  const milliseconds = (name: string) => (requests === 0 ? seconds * 1_000 : figure(name) / 1_000);
  return {
    requests,
    requestsPerSecond: requests / seconds,
    p50Ms: milliseconds("p50Us"),
    p99Ms: milliseconds("p99Us"),
    faults: figure("refused") + figure("broken"),
  };
}
