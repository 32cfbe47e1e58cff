/** Backs up a database as another process than the test. */
import { backupSqlite } from "../../src/sqlite/backup.ts";

const [, , database, file] = process.argv;
await backupSqlite(database as string, file as string);
