/** Backs up a database as another process than the test. */
import { systemClock } from "../../src/core/clock.ts";
import { backupSqlite } from "../../src/storage/sqlite/backup.ts";

const [, , database, file] = process.argv;
await backupSqlite(database as string, file as string, systemClock);
