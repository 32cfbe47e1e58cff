/** Three processes of the service on one database, as clients behind a load balancer meet them. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres, withoutSync } from "../../testkit/postgresServer.ts";
import { petstore, type Running, startProcess } from "../../testkit/serviceProcess.ts";
import { Client } from "../end-to-end/client.ts";

const processCount = 3;
const quotaRequests = 20;

let server: PostgresServer;
let folder: string;
let databases = 0;
let variables: Record<string, string>;
let processes: Running[] = [];

beforeAll(async () => {
  server = await startPostgres(withoutSync);
  folder = mkdtempSync(join(tmpdir(), "petstore-processes-"));
});
beforeEach(async () => {
  variables = {
    DATABASE_URL: await server.database(`pets_${++databases}`),
    PETSTORE_DATA: folder,
    PETSTORE_LOG: "error",
    PETSTORE_SECRET: "one secret for all processes of this service",
  };
});
afterEach(async () => {
  for (const { end } of processes) await end("SIGKILL");
  processes = [];
});
afterAll(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** A key, and a client of each process that has it. */
async function startThree(settings: Record<string, string> = {}) {
  const made = await petstore(["keys", "create", "--json"], variables);
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  const started = Array.from({ length: processCount }, () =>
    startProcess({ ...variables, ...settings }),
  );
  processes = await Promise.all(started);
  const clients = processes.map(({ base }) => new Client(base, key));
  return { id, clients: clients as [Client, Client, Client] };
}

const bella = { name: "Bella", categoryId: 1 };

test("a revoked key is refused by every process from the moment the command ends", async () => {
  const { id, clients } = await startThree();
  for (const client of clients) {
    for (let count = 0; count < 5; count++) expect((await client.get("/pets")).status).toBe(200);
  }
  expect((await petstore(["keys", "revoke", id], variables)).code).toBe(0);
  const seen = await Promise.all(clients.map((client) => client.get("/pets")));
  expect(seen.map(({ body }) => (body as { code?: string }).code)).toEqual(
    clients.map(() => "key_revoked"),
  );
});

test("a quota is spent by all processes together: of 60 requests exactly 20 pass", async () => {
  // So long a window gives nothing back during the test.
  const { clients } = await startThree({ PETSTORE_RATE_LIMIT: `${quotaRequests}/100000` });
  const seen = await Promise.all(
    Array.from({ length: 60 }, (_, count) =>
      (clients[count % processCount] as Client).get("/pets"),
    ),
  );
  const statuses = seen.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 429)).toEqual(Array(quotaRequests).fill(200));
  for (const client of clients) expect((await client.get("/pets")).status).toBe(429);
});

test("what one process adds or orders, the others show with the next request", async () => {
  const { clients } = await startThree();
  for (let count = 0; count < 30; count++) {
    const [writer, ...readers] = [0, 1, 2].map((next) => clients[(count + next) % 3] as Client) as [
      Client,
      Client,
      Client,
    ];
    const { body, status } = await writer.post("/pets", bella);
    expect(status).toBe(201);
    const pet = body as { id: number };
    for (const reader of readers) {
      expect((await reader.get(`/pets?id=${pet.id}`)).body).toEqual([body]);
    }
    expect((await readers[0].post("/store/orders", { petId: pet.id })).status).toBe(201);
    expect((await readers[1].get(`/pets?id=${pet.id}`)).body).toMatchObject([
      { status: "pending" },
    ]);
    expect((await writer.post("/store/orders", { petId: pet.id })).status).toBe(409);
  }
});

test("a process that is killed loses nothing it acknowledged, and the others do not falter", async () => {
  const { clients } = await startThree();
  const acknowledged: number[] = [];
  const refused: number[] = [];
  let killed = false;
  let afterwards = 0;
  const adding = clients.flatMap((client, place) =>
    Array.from({ length: 4 }, async () => {
      while (afterwards < 100) {
        const seen = await client.post("/pets", bella).catch(() => undefined);
        // The connection to the one that was killed ends without an answer.
        if (seen === undefined && place === 0 && killed) return;
        if (seen?.status !== 201) {
          refused.push(seen?.status ?? 0);
          return;
        }
        acknowledged.push((seen.body as { id: number }).id);
        if (killed) afterwards++;
        if (acknowledged.length >= 200 && !killed) {
          killed = true;
          processes[0]?.child.kill("SIGKILL");
        }
      }
    }),
  );
  await Promise.all(adding);
  expect(refused).toEqual([]);
  expect(afterwards).toBeGreaterThanOrEqual(100);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  const rows = await server.query("SELECT id::int FROM pets", variables["DATABASE_URL"]);
  const stored = new Set((rows as { id: number }[]).map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
});
