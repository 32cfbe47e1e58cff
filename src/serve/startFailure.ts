/** Why the service could not start, where the system did not let it listen. */
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";

/** What the system refused, and for which listener. */
interface RefusedListener {
  readonly code?: string;
  readonly metrics?: true;
  readonly admin?: true;
  readonly setting?: string;
  readonly port?: number;
}

type RefusedAt = { readonly host: string; readonly port: number | undefined };

/** An environment of several ended before it accepted connections; it has said why. */
export class NotStarted extends Error {
  constructor(environment: string) {
    super(
      `${environment} did not start, for the reason above. What it calls PORT, for example, is PETSTORE_${environment.toUpperCase()}_PORT in the settings of this command.`,
    );
  }
}

/** Names the setting behind what the system refused. Undefined for any other failure. */
export function startFailure(cause: unknown, config: Config): string | undefined {
  if (cause instanceof NotStarted) return cause.message;
  const { code = "", metrics, admin, setting: edge, port } = cause as RefusedListener;
  const [prefix, at]: [string, RefusedAt | undefined] = metrics
    ? ["PETSTORE_METRICS_", config.metrics]
    : admin
      ? ["PETSTORE_ADMIN_", config.admin]
      : edge
        ? ["PETSTORE_EDGE_", config.domains && { host: config.domains.edge.host, port }]
        : ["", config];
  const setting = edge ?? `${prefix}PORT`;
  const noHost = `${at?.host} is no address of this machine. Set ${prefix}HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`;
  const low = edge
    ? ", let ports 80 and 443 be forwarded to it and set PETSTORE_EDGE_PUBLIC_HTTPS_PORT=443, or give the program the right to use them (CAP_NET_BIND_SERVICE)"
    : "";
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${at?.port} is taken by another program. Stop it, or set ${setting} to a free port.`,
    EACCES: `Port ${at?.port} may not be used by this user. Set ${setting} to a port from 1024 up${low}.`,
    EADDRNOTAVAIL: noHost,
    EINVAL: noHost,
    ENOENT: noHost,
    ENOTFOUND: noHost,
  };
  return reasons[code];
}

const listenRetryMs = 10_000;

/**
 * Starts what listens on ports that others may have for now, and tries again until it does. What
 * else fails is thrown at the first attempt.
 */
export async function listenPersistently<
  Listening extends { stop(graceMs: number, idleMs?: number): void | Promise<void> },
>(
  start: () => Promise<Listening>,
  { config, clock, log }: { readonly config: Config; readonly clock: Clock; readonly log: Log },
) {
  let running: Listening | undefined;
  let stopped = false;
  let cancel = () => {};
  const attempt = async (first: boolean): Promise<void> => {
    try {
      running = await start();
      if (stopped) await running.stop(0);
    } catch (cause) {
      if (stopped) return;
      const detail = startFailure(cause, config);
      if (detail === undefined && first) throw cause;
      if (detail === undefined) log.error("edge.listen_failed", { cause });
      else log.error("edge.listen_failed", { detail });
      cancel = clock.after(listenRetryMs, () => void attempt(false));
    }
  };
  await attempt(true);
  return {
    running: () => running,
    async stop(graceMs: number, idleMs?: number): Promise<void> {
      stopped = true;
      cancel();
      await running?.stop(graceMs, idleMs);
    },
  };
}
