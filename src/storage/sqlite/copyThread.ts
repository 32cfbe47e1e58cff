/** The thread that makes a backup: SQLite copies in one call, which blocks its thread. */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../core/clock.ts";
import type { CopyReport } from "../stores.ts";
import { backupSqlite } from "./backup.ts";

export interface CopyThreadData {
  readonly databasePath: string;
  readonly file: string;
}

/** An Error would arrive with its message alone. */
export type CopyReply = { readonly report: CopyReport } | { readonly failure: CopyFailure };

interface CopyFailure {
  readonly message: string;
  readonly code: string | undefined;
  readonly syscall: string | undefined;
}

const { databasePath, file } = workerData as CopyThreadData;

async function reply(): Promise<CopyReply> {
  try {
    return { report: await backupSqlite(databasePath, file, systemClock) };
  } catch (cause) {
    const { message, code, syscall } = cause as NodeJS.ErrnoException;
    return { failure: { message, code, syscall } };
  }
}

parentPort?.postMessage(await reply());
