/** pgbouncer in transaction mode before a server, on a free port of loopback. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dieWithParent, isRoot, nobodyId } from "../../testkit/dieWithParent.ts";
import { eventually } from "../../testkit/eventually.ts";
import { freePort } from "../../testkit/freePorts.ts";
import type { PostgresServer } from "../../testkit/postgresServer.ts";

const program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find(existsSync);

/** Undefined where pgbouncer can be run here. */
export function pgbouncerMissing(): string | undefined {
  if (program === undefined) return "pgbouncer is not installed";
  if (!existsSync("/usr/bin/setpriv")) return "setpriv is not installed";
  return undefined;
}

export interface Pgbouncer {
  /** The same database as at this address, through pgbouncer. */
  through(address: string): string;
  stop(): Promise<void>;
}

export async function startPgbouncer(
  server: PostgresServer,
  serverConnectionsMax: number,
): Promise<Pgbouncer> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-pgbouncer-"));
  if (isRoot) chownSync(folder, nobodyId, nobodyId);
  const port = await freePort();
  const users = join(folder, "users.txt");
  writeFileSync(users, '"postgres" ""\n');
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
max_client_conn = 500
default_pool_size = ${serverConnectionsMax}
server_idle_timeout = 2
`,
  );
  // It refuses to run as root.
  const command = dieWithParent([program ?? "", file], { signal: "KILL", asNobody: true });
  const child = spawn(...command, {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  let said = "";
  child.stderr.on("data", (text) => {
    said = `${said}${text}`.slice(-4_000);
  });
  const pgbouncer: Pgbouncer = {
    through: (address) => address.replace(`:${server.port}/`, `:${port}/`),
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`pgbouncer does not start: ${said}`);
    return server.query("SELECT 1", `postgres://postgres@127.0.0.1:${port}/postgres`).then(
      () => true,
      () => false,
    );
  });
  return pgbouncer;
}
