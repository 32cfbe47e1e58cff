/** Where the program begins, and the only place that knows all of its parts. */
import { rmdirSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { outputTo } from "./cli/output.ts";
import { run } from "./cli/run.ts";
import { explainSystem } from "./cli/systemErrors.ts";
import {
  CommandFailure,
  type StartedService,
  Stopped,
  type StopSignalName,
  type World,
} from "./cli/world.ts";
import { systemClock as clock } from "./clock.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { createLog, patientWriter } from "./log.ts";
import { keptSecret } from "./secret.ts";
import { startService } from "./serve.ts";
import { restoreSqlite } from "./sqlite/backup.ts";
import { backupStoppable } from "./sqlite/copying.ts";
import { openSqlite } from "./sqlite/store.ts";

function settings(): Config {
  try {
    return readConfig(process.env);
  } catch (cause) {
    if (cause instanceof ConfigError) throw new CommandFailure(cause.message, 2);
    throw cause;
  }
}

const inData = (config: Config, name: string) =>
  resolve(join(config.dataFolder, config.environment, name));
const databaseOf = (config: Config) => inData(config, "petstore.db");

async function serve(started: (service: StartedService) => void): Promise<void> {
  const config = settings();
  const write = patientWriter((bytes) => writeSync(process.stderr.fd, bytes));
  const log = createLog(config.logLevel, clock, write);
  const secret = config.secret ?? madeOrKept(config);
  const told = toldToStop();
  const service = await startService({
    config,
    secret,
    clock,
    log,
    openStores: (options) => openSqlite(databaseOf(config), options).catch(noPlace(config)),
  }).catch(explainStart(config));
  started({
    baseUrl: `http://${reachable(config.host)}:${service.port}/v1`,
    environment: config.environment,
    firstKey: service.firstKey,
  });
  await told;
  await service.stop();
}

function madeOrKept(config: Config): string {
  const file = inData(config, "secret");
  try {
    return keptSecret(file, clock);
  } catch (cause) {
    return explainSystem(`The secret ${file} cannot be kept`, "Check PETSTORE_DATA.")(cause);
  }
}

function noPlace(config: Config) {
  return explainSystem(`There can be no store at ${databaseOf(config)}`, "Check PETSTORE_DATA.");
}

/** Resolves at the first signal to stop; a second one ends the process where it stands. */
function toldToStop(): Promise<StopSignalName> {
  return new Promise((resolve) => {
    let count = 0;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => (count++ === 0 ? resolve(signal) : process.exit(1)));
    }
  });
}

let stop: AbortController | undefined;

function stopSignal(): AbortSignal {
  if (stop === undefined) {
    const controller = new AbortController();
    stop = controller;
    void toldToStop().then((signal) => controller.abort(new Stopped(signal)));
  }
  return stop.signal;
}

/** Whatever may stand in the way of an answer other than "no" comes out when it is opened. */
function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/** A restore that is refused leaves none of the folders that it would have filled. */
async function restore(file: string) {
  const config = settings();
  const database = databaseOf(config);
  const folders = missingFolders(dirname(database));
  try {
    return await restoreSqlite(database, file, config.environment);
  } catch (cause) {
    for (const folder of folders.filter(isThere)) removeEmpty(folder);
    throw cause;
  }
}

/** The innermost first. */
function missingFolders(folder: string): string[] {
  return isThere(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty: somebody else has begun to use it.
  }
}

/** Names the setting behind what the system refused. */
function explainStart({ host, port, metrics }: Config) {
  return (cause: unknown): never => {
    const refused = cause as { code?: string; metrics?: true };
    const at = refused.metrics ? metrics : { host, port };
    const setting = refused.metrics ? "PETSTORE_METRICS_" : "";
    const noHost = `${at?.host} is no address of this machine. Set ${setting}HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`;
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${at?.port} is taken by another program. Stop it, or set ${setting}PORT to a free port.`,
      EACCES: `Port ${at?.port} may not be used by this user. Set ${setting}PORT to a port from 1024 up.`,
      EADDRNOTAVAIL: noHost,
      EINVAL: noHost,
      ENOENT: noHost,
      ENOTFOUND: noHost,
    };
    const reason = cause instanceof CommandFailure ? undefined : reasons[refused.code ?? ""];
    throw reason === undefined ? cause : new CommandFailure(reason);
  };
}

/** How to write the address we listen on, so that it can be called from this machine. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

/** Settings are read when they are needed: help must work when one of them is wrong. */
const world: World = {
  clock,
  get environment() {
    return settings().environment;
  },
  stdin: process.stdin,
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  locateStore() {
    const path = databaseOf(settings());
    return { path, exists: isThere(path) };
  },
  async openStores() {
    const config = settings();
    const { environment } = config;
    return openSqlite(databaseOf(config), { environment }).catch(noPlace(config));
  },
  stopSignal,
  serve,
  backup: async (file) => backupStoppable(databaseOf(settings()), file, stopSignal()),
  restore,
};

process.exitCode = await run(process.argv.slice(2), world);
if (stop?.signal.aborted) {
  await world.stderr.drained().catch(() => {});
  // What was under way may keep the process waiting, for the keyboard for example.
  process.exit();
}
