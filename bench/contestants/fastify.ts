/** Fastify with `node:sqlite` on Node, written as its users write it. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../../testkit/freePorts.ts";
import { peerNode, peersFolder, versionOfPeer } from "../peers.ts";
import { cached, copyDatabase, seededDatabase } from "../seeded.ts";
import { type Dialect, type ListQuestion, workNames } from "../works.ts";
import { type Contestant, type Place, type Running, startHttp } from "./contestant.ts";
import { ourDialect } from "./ours.ts";

const key = "a-key-that-fastify-looks-up";

export const fastify: Contestant = {
  name: "fastify",
  title: "Fastify with node:sqlite",
  leavesOut: [
    "cursors are not sealed",
    "integers past 2^53 are rounded",
    "no scopes, expiry, use counts or metrics",
  ],
  works: workNames,
  sameBytes: true,
  version: async () => `${versionOfPeer("fastify")} on Node ${versionOfPeer("node")}`,
  start: startFastify,
};

async function startFastify({ folder, sample }: Place): Promise<Running> {
  const database = join(folder, "pets.db");
  await copyDatabase(await fastifyDatabase(sample.pets), database);
  const port = await freePort();
  return startHttp({
    order: {
      command: peerNode,
      args: [join(peersFolder, "fastify.js"), database, String(port)],
      variables: { NODE_ENV: "production" },
      output: join(folder, "output.log"),
    },
    port,
    dialect,
    folder,
    sample,
  });
}

const dialect: Dialect = {
  ...ourDialect(key),
  list: (question) => `/v1/pets${searchOf(question)}`,
};

function searchOf({ status, after }: ListQuestion): string {
  const search = new URLSearchParams();
  if (after !== undefined) search.set("limit", "20");
  if (status !== undefined) search.set("status", status);
  if (after !== undefined) search.set("cursor", Buffer.from(String(after)).toString("base64url"));
  return search.size === 0 ? "" : `?${search}`;
}

/** The same pets, in the tables that such a service would have. */
function fastifyDatabase(pets: number): Promise<string> {
  const make = async (draft: string) => {
    const source = await seededDatabase(pets);
    const db = new DatabaseSync(draft);
    db.exec(
      `CREATE TABLE pets (
         id INTEGER PRIMARY KEY,
         name TEXT NOT NULL,
         category_id INTEGER NOT NULL,
         status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
       ) STRICT;
       CREATE TABLE orders (
         id INTEGER PRIMARY KEY,
         pet_id INTEGER NOT NULL REFERENCES pets (id),
         quantity INTEGER NOT NULL,
         status TEXT NOT NULL,
         placed_at TEXT NOT NULL
       ) STRICT;
       CREATE TABLE keys (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE) STRICT;
       ATTACH '${source.replaceAll("'", "''")}' AS source;
       INSERT INTO pets SELECT id, name, category_id, status FROM source.pets ORDER BY id;
       CREATE INDEX pets_by_status ON pets (status);
       DETACH source;`,
    );
    const hash = createHash("sha256").update(key).digest("hex");
    db.prepare("INSERT INTO keys (hash) VALUES (?)").run(hash);
    db.close();
  };
  return cached({ name: `fastify-${pets}`, makers: ["contestants/fastify.ts"], make });
}
