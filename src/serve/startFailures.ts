/** Why a service did not start, for the person who started it. */
import { CommandFailure } from "../cli/errors.ts";
import { type Config, StartError } from "../config/config.ts";

/** What the system refused, and for which listener. */
interface Refused {
  readonly code?: string;
  readonly metrics?: true;
  readonly admin?: true;
  readonly setting?: string;
  readonly port?: number;
}

/** Names the setting behind what the system refused. */
export function explainStart(config: Config) {
  return (cause: unknown): never => {
    if (cause instanceof CommandFailure) throw cause;
    if (cause instanceof StartError) throw new CommandFailure(cause.message);
    const refused = cause as Refused;
    const [prefix, at]: [string, { host: string; port?: number } | undefined] = refused.metrics
      ? ["PETSTORE_METRICS_", config.metrics]
      : refused.admin
        ? ["PETSTORE_ADMIN_", config.admin]
        : refused.setting
          ? ["PETSTORE_EDGE_", config.domains?.edge]
          : ["", config];
    const port = refused.setting ? refused.port : at?.port;
    const setting = refused.setting ?? `${prefix}PORT`;
    const noHost = `${at?.host} is no address of this machine. Set ${prefix}HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`;
    const low =
      refused.setting === undefined
        ? ""
        : ", and let ports 80 and 443 be forwarded to it, or give the program the right to use them (CAP_NET_BIND_SERVICE)";
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} is taken by another program. Stop it, or set ${setting} to a free port.`,
      EACCES: `Port ${port} may not be used by this user. Set ${setting} to a port from 1024 up${low}.`,
      EADDRNOTAVAIL: noHost,
      EINVAL: noHost,
      ENOENT: noHost,
      ENOTFOUND: noHost,
    };
    const reason = reasons[refused.code ?? ""];
    throw reason === undefined ? cause : new CommandFailure(reason);
  };
}
