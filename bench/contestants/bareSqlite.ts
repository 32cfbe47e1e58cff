/** A loop that commits the rows of 64 callers at a time: what the disk and SQLite leave to be had. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { copyDatabase, seededDatabase } from "../seeded.ts";
import type { Contestant, Measured } from "./contestant.ts";
import { ourDialect } from "./ours.ts";

const program = fileURLToPath(new URL("../bareLoop.ts", import.meta.url));

export const bareSqlite: Contestant = {
  name: "bareSqlite",
  title: "bare SQLite loop, 64 a commit",
  leavesOut: ["no HTTP, no key check, no validation: rows straight into our tables"],
  works: ["createPet"],
  sameBytes: false,
  version: async () => `SQLite ${process.versions["sqlite"] ?? ""} in Bun ${process.versions.bun}`,
  async start({ folder, sample }) {
    const database = join(folder, "petstore.db");
    await copyDatabase(await seededDatabase(sample.pets), database);
    return {
      pid: process.pid,
      port: 0,
      dialect: ourDialect(""),
      sample,
      async measure(_work, seconds) {
        const args = [program, database, String(seconds)];
        const { stdout } = await promisify(execFile)(process.execPath, args);
        return JSON.parse(stdout) as Measured;
      },
      callsFor: () => unspeaking(),
      restart: async () => unspeaking(),
      async stop() {},
    };
  },
};

function unspeaking(): never {
  throw new Error("The bare loop speaks no HTTP.");
}
