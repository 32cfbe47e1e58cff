import { describe, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { emptyLog, headOf, verify } from "../../src/audit/auditLog.ts";
import { withOrigin } from "../../src/audit/origin.ts";
import { systemClock } from "../../src/core/clock.ts";
import { audited, notAudited } from "../../src/storage/repositories/audited.ts";
import { writes } from "../../src/storage/repositories/repositories.ts";
import { backupSqlite, restoreSqlite } from "../../src/storage/sqlite/backup.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { allEntries, describeAudit } from "./audit.suite.ts";
import { useTemporaryFolder } from "./folder.ts";
import { takeWriterThread } from "./writerPool.ts";

const folder = useTemporaryFolder(takeWriterThread);
describeAudit("SQLite", () => folder.open());

test("every write is audited, or is said why it is not", () => {
  const known = [...Object.keys(audited), ...Object.keys(notAudited), "recordAction"];
  expect(known.toSorted()).toEqual(Object.keys(writes).toSorted());
});

const columns = [
  ...["number", "at_ms", "actor", "action", "subject", "source", "request_id"],
  ...["state_before", "state_after", "hash"],
] as const;

function tamper<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(folder.path("petstore.db"));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const unguarded = "DROP TRIGGER audit_log_no_UPDATE; DROP TRIGGER audit_log_no_DELETE;";

async function fill(stores: Stores, owners = 4): Promise<void> {
  const origin = { actor: "cli/root", source: { host: "db-1" }, requestId: "r-1" };
  await withOrigin(origin, async () => {
    for (let count = 0; count < owners; count++) {
      const id = `owner-${count}`;
      await stores.sites.addOwner({ id, name: "Owner", plan: "free" });
      await stores.sites.setPlan(id, "paid");
    }
  });
}

const faultOf = async ({ audit }: Stores) => (await verify(audit)).fault;

describe("an audit log that was tampered with", () => {
  test("is not changed or cut by a statement of its own", async () => {
    await fill(await folder.open());
    for (const statement of ["UPDATE audit_log SET actor = 'x'", "DELETE FROM audit_log"]) {
      expect(() => tamper((db) => db.exec(statement))).toThrow("The audit log is append-only.");
    }
  });

  test("is found out by any changed byte of any column of any entry, by its number", async () => {
    const stores = await folder.open();
    await fill(stores);
    tamper((db) => db.exec(unguarded));
    const rows = tamper((db) => db.prepare("SELECT * FROM audit_log ORDER BY number").all());
    for (const row of rows) {
      const number = Number(row["number"]);
      for (const column of columns) {
        for (const changed of changesOf(row[column])) {
          const put = (value: unknown, at: number) =>
            tamper((db) =>
              db
                .prepare(`UPDATE audit_log SET ${column} = ? WHERE number = ?`)
                .run(value as string | number | null, at),
            );
          put(changed, number);
          expect(await faultOf(stores), `${column} of ${number}: ${changed}`).toMatchObject({
            number,
            kind: column === "number" ? "missing" : "altered",
          });
          put(row[column], column === "number" ? Number(changed) : number);
        }
      }
    }
    expect(await faultOf(stores)).toBeUndefined();
  });

  test("is found out by a missing entry, and by two that were exchanged", async () => {
    const stores = await folder.open();
    await fill(stores);
    tamper((db) => db.exec(unguarded));
    const exchange = `UPDATE audit_log SET number = 99 WHERE number = 3;
      UPDATE audit_log SET number = 3 WHERE number = 4;
      UPDATE audit_log SET number = 4 WHERE number = 99;`;
    tamper((db) => db.exec(exchange));
    expect(await faultOf(stores)).toMatchObject({ number: 3, kind: "reordered" });
    tamper((db) => db.exec(exchange));
    tamper((db) => db.exec("DELETE FROM audit_log WHERE number = 5"));
    expect(await faultOf(stores)).toMatchObject({ number: 5, kind: "missing" });
  });

  test("is found out by a cut end, unless its counter was changed too", async () => {
    const stores = await folder.open();
    await fill(stores);
    const noted = await headOf(stores.audit);
    tamper((db) => db.exec(`${unguarded} DELETE FROM audit_log WHERE number > 6`));
    expect(await faultOf(stores)).toMatchObject({ number: 7, kind: "cut" });
    tamper((db) => db.exec("UPDATE counters SET value = 6 WHERE name = 'last_audit_number'"));
    // Then only a head that was noted elsewhere shows it.
    expect(await faultOf(stores)).toBeUndefined();
    expect((await verify(stores.audit, noted)).fault).toMatchObject({ number: 7, kind: "cut" });
  });
});

/** A flipped bit of each of some bytes of a text, another number, or a text instead of none. */
function changesOf(value: unknown): readonly (string | number)[] {
  if (typeof value === "number") return [value + 1000];
  if (typeof value !== "string") return ["{}", "null"];
  const places = [0, Math.floor(value.length / 2), value.length - 1];
  return places.map((place) => {
    const flipped = String.fromCharCode(value.charCodeAt(place) ^ 1);
    return `${value.slice(0, place)}${flipped}${value.slice(place + 1)}`;
  });
}

describe("a restore", () => {
  const backup = () => folder.path("backup.db");
  const backUp = (name = "petstore.db") => backupSqlite(folder.path(name), backup(), systemClock);
  const restore = (name = "petstore.db") =>
    withOrigin({ actor: "cli/root", source: { host: "db-1" } }, () =>
      restoreSqlite(folder.path(name), backup(), "production", systemClock),
    );

  test("keeps the entries made since the backup, and adds one of its own", async () => {
    const stores = await folder.open();
    await fill(stores, 1);
    const { number, hash } = await headOf(stores.audit);
    await backUp();
    await fill(stores, 2);
    const before = await allEntries(stores);
    await restore();
    const entries = await allEntries(stores);
    expect(entries.slice(0, -1)).toEqual(before);
    expect(entries.at(-1)).toMatchObject({
      actor: "cli/root",
      action: "store.restore",
      subject: "store",
    });
    expect(JSON.parse(entries.at(-1)?.after ?? "")).toMatchObject({
      file: backup(),
      head: `${number}:${hash}`,
    });
    await fill(stores, 3);
    expect(await faultOf(stores)).toBeUndefined();
  });

  test("into a new store continues the log of the backup", async () => {
    const stores = await folder.open();
    await fill(stores);
    const before = await allEntries(stores);
    await backUp();
    await restore("other.db");
    const other = await folder.open({}, "other.db");
    const entries = await allEntries(other);
    expect(entries.slice(0, -1)).toEqual(before);
    expect(entries.at(-1)?.action).toBe("store.restore");
    expect(await faultOf(other)).toBeUndefined();
  });

  test("of another store's backup keeps the own log, and names the head of the other", async () => {
    const other = await folder.open({}, "other.db");
    await fill(other, 5);
    await backUp("other.db");
    const stores = await folder.open();
    await withOrigin({ actor: "cli/eve", source: {} }, () =>
      stores.sites.addOwner({ id: "own", name: "Own", plan: "free" }),
    );
    await restore();
    const entries = await allEntries(stores);
    expect(entries.map(({ action }) => action)).toEqual(["owner.create", "store.restore"]);
    expect(JSON.parse(entries[1]?.after ?? "").head).toStartWith("10:");
    expect(await faultOf(stores)).toBeUndefined();
  });

  test("of a backup without entries says so", async () => {
    const stores = await folder.open();
    await backUp();
    await fill(stores, 1);
    await restore();
    const [, , last] = await allEntries(stores);
    expect(JSON.parse(last?.after ?? "").head).toBe(`0:${emptyLog.hash}`);
  });
});
