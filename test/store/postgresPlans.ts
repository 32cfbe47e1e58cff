/** What PostgreSQL does for a statement, on a server of its own with many rows. */
import { afterAll, beforeAll } from "bun:test";
import pg from "pg";
import { systemClock } from "../../src/core/clock.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";
import { type PostgresServer, startPostgres } from "../../testkit/postgresServer.ts";

/** One step of a plan. */
export interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Conflict Arbiter Indexes"?: readonly string[];
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Plan[];
}

const stepsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)];

/** For the tests of a file or a group: the tables, filled by a statement. */
export function usePlans(fill: string) {
  let server: PostgresServer | undefined;
  let client: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    const address = await server.database("plans");
    const settings = { address, connectionsMax: 1, namedStatements: false };
    await (await openPostgres(settings, { environment: "production", clock: systemClock })).close();
    client = new pg.Client(address);
    await client.connect();
    await client.query(fill);
  });
  afterAll(async () => {
    await client?.end();
    await server?.remove();
  });
  return {
    analyse: () => client.query("VACUUM ANALYZE"),
    /** Runs a statement, takes back what it did, and returns all steps of its plan. */
    async explain(text: string, values: readonly unknown[]): Promise<Plan[]> {
      await client.query("BEGIN");
      const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`;
      const { rows } = await client.query(explained, [...values]);
      await client.query("ROLLBACK");
      return stepsOf(rows[0]["QUERY PLAN"][0].Plan);
    },
  };
}
