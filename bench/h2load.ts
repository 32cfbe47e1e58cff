/** Runs nghttp2's `h2load` over HTTP/2 and reads what it reports. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Load } from "./wrk.ts";

const connections = 64;
/** One request at a time on each connection, as wrk does. */
const streams = 1;
/** Beside the seconds of the load itself. */
const marginSeconds = 60;

/** It reports no percentiles. */
export type Http2Load = Omit<Load, "p50Ms" | "p99Ms">;

export interface Http2LoadOrder {
  readonly port: number;
  /** Whose certificate is asked for, and what `:authority` names. */
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** What OpenSSL is configured by. */
  readonly opensslConfig: string;
}

export async function applyHttp2Load(order: Http2LoadOrder): Promise<Http2Load> {
  const { stdout } = await promisify(execFile)(
    "h2load",
    [
      "--threads=1",
      `--clients=${connections}`,
      `--max-concurrent-streams=${streams}`,
      `--duration=${order.seconds}s`,
      `--connect-to=127.0.0.1:${order.port}`,
      ...Object.entries(order.headers).map(([name, value]) => `--header=${name}: ${value}`),
      `https://${order.host}:${order.port}${order.path}`,
    ],
    {
      env: { ...process.env, OPENSSL_CONF: order.opensslConfig },
      timeout: (order.seconds + marginSeconds) * 1_000,
    },
  );
  return readH2load(stdout);
}

export function readH2load(stdout: string): Http2Load {
  const field = (form: RegExp, what: string): string => {
    const [, value] = form.exec(stdout) ?? [];
    if (value === undefined) throw new Error(`h2load reported no ${what}:\n${stdout}`);
    return value;
  };
  const protocol = field(/^Application protocol: (\S+)$/m, "application protocol");
  if (protocol !== "h2") throw new Error(`h2load spoke ${protocol}, and not h2.`);
  const done = Number(field(/^requests: .*\b(\d+) done\b/m, "requests"));
  const succeeded = Number(field(/^status codes: (\d+) 2xx\b/m, "status codes"));
  const broken = Number(field(/^requests: .*\b(\d+) errored\b/m, "errors"));
  return {
    requests: done,
    requestsPerSecond: Number(field(/^finished in .*?, ([\d.]+) req\/s/m, "rate")),
    faults: done - succeeded + broken,
  };
}
