/** json-server as it comes: everything in memory, the file written anew after each create. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../../testkit/freePorts.ts";
import { peerModule, peerNode, versionOfPeer } from "../peers.ts";
import { drawSample } from "../sample.ts";
import { seededDatabase } from "../seeded.ts";
import { type Dialect, type ListQuestion, worksWithoutOrders } from "../works.ts";
import { type Contestant, type Place, type Running, startHttp } from "./contestant.ts";

/** It searches its pets one by one and writes all of them at each create: with a million it would stand. */
const petsMax = 10_000;

export const jsonServer: Contestant = {
  name: "jsonServer",
  title: "json-server",
  leavesOut: [
    `at most ${petsMax.toLocaleString("en")} pets`,
    "no key check",
    "not durable: writes its file without a sync",
    "other bytes: indented JSON",
    "no deprecation headers",
  ],
  works: worksWithoutOrders,
  sameBytes: false,
  version: async () => `${versionOfPeer("json-server")} on Node ${versionOfPeer("node")}`,
  start: startJsonServer,
};

async function startJsonServer({ folder, sample }: Place): Promise<Running> {
  const pets = Math.min(petsMax, sample.pets);
  const file = join(folder, "db.json");
  writeFileSync(file, JSON.stringify({ pets: await firstPets(pets, sample.pets) }));
  const port = await freePort();
  const program = peerModule("json-server", "lib", "cli", "bin.js");
  return startHttp({
    order: {
      command: peerNode,
      args: [program, file, "--quiet", "--host", "127.0.0.1", "--port", String(port)],
      variables: { NODE_ENV: "production" },
      output: join(folder, "output.log"),
    },
    port,
    dialect,
    folder,
    sample: drawSample(pets),
  });
}

const dialect: Dialect = {
  headers: { "Content-Type": "application/json" },
  getPet: (id) => `/pets/${id}`,
  list: (question) => `/pets?_limit=20${searchOf(question)}`,
  create: {
    path: "/pets",
    body: '{"name":"Bench {n}","categoryId":7,"status":"available"}',
  },
};

function searchOf({ status, after }: ListQuestion): string {
  const filter = status === undefined ? "" : `&status=${status}`;
  return after === undefined ? filter : `${filter}&id_gte=${after + 1}`;
}

async function firstPets(count: number, of: number): Promise<unknown[]> {
  const db = new DatabaseSync(await seededDatabase(of), { readOnly: true });
  const columns = "id, name, category_id AS categoryId, status";
  const rows = db.prepare(`SELECT ${columns} FROM pets ORDER BY id LIMIT ?`).all(count);
  db.close();
  return rows;
}
