/** Why the service could not start, where the system did not let it listen. */
import type { Config } from "../config/config.ts";

/** What the system refused, and for which listener. */
interface RefusedListener {
  readonly code?: string;
  readonly metrics?: true;
  readonly admin?: true;
  readonly setting?: string;
  readonly port?: number;
}

type RefusedAt = { readonly host: string; readonly port: number | undefined };

/** Names the setting behind what the system refused. Undefined for any other failure. */
export function startFailure(cause: unknown, config: Config): string | undefined {
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
    ? ", and let ports 80 and 443 be forwarded to it, or give the program the right to use them (CAP_NET_BIND_SERVICE)"
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
