/** The service as its users start it, in several processes on one database of PostgreSQL. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../testkit/eventually.ts";
import { type PostgresServer, startPostgres, withoutSync } from "../../testkit/postgresServer.ts";
import { petstore, startProcess } from "../../testkit/serviceProcess.ts";
import { Client } from "../end-to-end/client.ts";

let server: PostgresServer;
let folder: string;
let variables: Record<string, string>;
beforeAll(async () => {
  server = await startPostgres(withoutSync);
  folder = mkdtempSync(join(tmpdir(), "petstore-service-"));
  const address = await server.database("pets");
  variables = {
    DATABASE_URL: address.replace("postgres@", "postgres:hushhush@"),
    PETSTORE_DATA: folder,
    PETSTORE_SECRET: "one secret for all processes of this service",
  };
});
afterAll(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test("two processes are one service, which outlives its database's absence", async () => {
  const one = await startProcess(variables);
  const two = await startProcess(variables);
  try {
    const made = await petstore(["keys", "create", "--name", "both", "--json"], variables);
    const { id, key } = JSON.parse(made.stdout);
    const clients = [new Client(one.base, key), new Client(two.base, key)] as const;

    for (let count = 0; count < 30; count++) {
      const client = clients[count % 2 === 0 ? 0 : 1];
      expect((await client.post("/pets", { name: `pet ${count}`, categoryId: 1 })).status).toBe(
        201,
      );
    }
    // A page of one process leads to a page of the other.
    const walked: unknown[] = [];
    let path: string | undefined = "/pets?limit=7";
    for (let page = 0; path !== undefined; page++) {
      const seen = await clients[page % 2 === 0 ? 0 : 1].get(path);
      walked.push(...(seen.body as { id: number }[]).map((pet) => pet.id));
      path = /<[^>]*\/v1([^>]*)>; rel="next"/.exec(seen.headers.get("link") ?? "")?.[1];
    }
    expect(walked).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));

    await server.stop("immediate");
    for (const client of clients) {
      const seen = await client.get("/pets/1");
      expect(seen.body).toMatchObject({ code: "store_unavailable", status: 503 });
      expect(seen.headers.get("retry-after")).not.toBeNull();
    }
    await server.start();
    for (const client of clients) {
      await eventually(async () => (await client.get("/pets/1")).status === 200);
    }

    expect((await petstore(["keys", "revoke", id], variables)).code).toBe(0);
    for (const client of clients) {
      expect((await client.get("/pets/1")).body).toMatchObject({ code: "key_revoked" });
    }
    expect([await one.end("SIGTERM"), await two.end("SIGTERM")]).toEqual([0, 0]);
    for (const process of [one, two]) {
      expect(process.stdout() + process.stderr()).not.toContain("hushhush");
    }
  } finally {
    await one.end("SIGKILL");
    await two.end("SIGKILL");
  }
});
