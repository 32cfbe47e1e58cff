/** Nothing secret is written down: not in the log, not in the database, not in a backup. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { hashToken } from "../../src/petstore/keys/token.ts";
import { backupSqlite, restoreSqlite } from "../../src/storage/sqlite/backup.ts";
import {
  minuteMs,
  openSessionFixture,
  operator,
  phrase,
  type SessionFixture,
  shop,
} from "./sessionFixture.ts";

let fixture: SessionFixture;
let folder = "";
beforeEach(async () => {
  fixture = await openSessionFixture();
  folder = mkdtempSync(join(tmpdir(), "petstore-secrets-"));
});
afterEach(async () => {
  await fixture.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("secrets", () => {
  test("of everybody who came in are neither on disk nor in the log", async () => {
    const { token: unused } = await fixture.link(operator);
    const { token } = await fixture.link(shop);
    const asked = { body: { token, password: phrase } };
    const { cookie } = await fixture.ask("POST", "/welcome", asked);
    const wrong = "the wrong one, typed in full";
    await fixture.signIn("shop", wrong);
    const signedIn = await fixture.signIn("shop", phrase);
    const next = "another harbour, at night";
    const change = { cookie, body: { current: phrase, next } };
    expect((await fixture.ask("PUT", "/password", change)).status).toBe(204);
    await fixture.ask("POST", "/session", { cookie, body: `{"name":"shop","password":"${next}"` });
    await fixture.ask("DELETE", "/session", { cookie });
    const boss = await fixture.signInByLink(operator);
    const invited = await fixture.ask("POST", "/owners/shop/invite", { cookie: boss });
    const tokens = [token, unused, invited.body.link.split("/").at(-1)];
    const cookies = [cookie, signedIn.cookie, boss].map((each) => each.split("=")[1] ?? "");
    const backup = join(folder, "backup.db");
    await backupSqlite(fixture.file, backup, systemClock);
    const written = {
      disk: await fixture.onDisk(),
      backup: readFileSync(backup, "latin1"),
      log: fixture.logged(),
    };
    for (const text of Object.values(written)) {
      for (const secret of [phrase, wrong, next, ...tokens, ...cookies]) {
        expect(secret.length).toBeGreaterThan(20);
        expect(text).not.toContain(secret);
        expect(text).not.toContain(encodeURIComponent(secret));
      }
      expect(text).toContain("ses_");
    }
    // It would have been seen: the hashes are there.
    expect(written.disk).toContain(hashToken(cookies.at(-1) ?? ""));
    expect(written.log).toContain('"event":"account.signed_in"');
    expect(written.log).not.toContain(hashToken(cookies.at(-1) ?? ""));
    expect(written.log).not.toContain("argon2id");
  });
});

describe("a restore", () => {
  const backup = () => join(folder, "backup.db");
  const restore = () => restoreSqlite(fixture.file, backup(), "production", systemClock);

  test("brings no session and no link back, not even those that are open now", async () => {
    const cookie = await fixture.signInByLink(shop);
    const { token } = await fixture.link(operator);
    await backupSqlite(fixture.file, backup(), systemClock);
    await fixture.ask("DELETE", "/session", { cookie });
    const { cookie: open } = await fixture.signIn("shop", phrase);
    await restore();
    for (const each of [cookie, open]) {
      expect((await fixture.ask("GET", "/session", { cookie: each })).status).toBe(401);
    }
    expect((await fixture.ask("POST", "/welcome", { body: { token } })).status).toBe(410);
    expect((await fixture.signIn("shop", phrase)).status).toBe(200);
  });

  test("leaves a password replaced that was replaced since", async () => {
    await fixture.signInByLink(shop, "the one that leaked out");
    await backupSqlite(fixture.file, backup(), systemClock);
    fixture.clock.advance(minuteMs);
    await fixture.signInByLink(shop, phrase);
    await restore();
    expect((await fixture.signIn("shop", "the one that leaked out")).status).toBe(401);
    expect((await fixture.signIn("shop", phrase)).status).toBe(200);
  });

  test("brings passwords to a database that had none, and the newer ones to an older", async () => {
    await fixture.signInByLink(shop, "an older pass phrase");
    const older = join(folder, "older.db");
    await backupSqlite(fixture.file, older, systemClock);
    fixture.clock.advance(minuteMs);
    await fixture.signInByLink(shop, phrase);
    await backupSqlite(fixture.file, backup(), systemClock);
    await restoreSqlite(join(folder, "new.db"), backup(), "production", systemClock);
    copyFileSync(older, join(folder, "old.db"));
    await restoreSqlite(join(folder, "old.db"), backup(), "production", systemClock);
    const kept = (await fixture.stores.accounts.find("shop"))?.password ?? "none";
    for (const name of ["new.db", "old.db"]) {
      expect(readFileSync(join(folder, name), "latin1")).toContain(kept);
    }
  });

  test("does not count tries anew", async () => {
    await backupSqlite(fixture.file, backup(), systemClock);
    for (let count = 0; count < 10; count++) await fixture.signIn("shop", "a wrong password");
    await restore();
    expect((await fixture.signIn("shop", "a wrong password")).status).toBe(429);
  });
});
