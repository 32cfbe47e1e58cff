/** Where the program begins, and the only place that knows all of its parts. */
import { rmdirSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { welcomeAddress } from "./accounts/links.ts";
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
import { type Config, ConfigError, readConfig, StartRefusal } from "./config.ts";
import { createLog, patientWriter } from "./log.ts";
import { shownAddress } from "./postgres/address.ts";
import { keptSecret } from "./secret.ts";
import { buildDocsSite, startService } from "./serve.ts";
import { domainSettings } from "./serveDashboard.ts";
import { restoreSqlite } from "./sqlite/backup.ts";
import { backupStoppable } from "./sqlite/copying.ts";
import { openDatabase, sqliteVersion } from "./sqlite/database.ts";
import { openSqlite } from "./sqlite/store.ts";
import type { Stores, StoresOptions } from "./stores.ts";
import { localProxyHeader } from "./wire/proxyProtocol.ts";

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
  // Processes on other machines would make one of their own, and refuse each other's cursors.
  if (config.database !== undefined && config.secret === undefined) {
    log.warn("secret.local", { file: inData(config, "secret") });
  }
  const told = toldToStop();
  const service = await startService({
    config,
    secret,
    clock,
    log,
    openStores: (options) => openStores(config, options),
    ownDocs: config.docsSite,
  }).catch(explainStart(config));
  started({
    baseUrl: `http://${reachable(config.host)}:${service.port}/v1`,
    environment: config.environment,
    firstKey: service.firstKey,
    hasKeys: service.hasKeys,
    dashboard: {
      address: dashboardAt(config, service.adminPort ?? service.port),
      firstLink:
        service.firstLink &&
        welcomeAddress(dashboardAt(config, service.adminPort ?? service.port), service.firstLink),
    },
  });
  await told;
  await service.stop();
}

function madeOrKept(config: Config): string {
  const file = inData(config, "secret");
  // The database first: beside a secret, one without contents has lost them.
  if (config.database === undefined && !isThere(file)) makeDatabase(config);
  try {
    return keptSecret(file, clock);
  } catch (cause) {
    return explainSystem(`The secret ${file} cannot be kept`, "Check PETSTORE_DATA.")(cause);
  }
}

async function openStores(config: Config, options: StoresOptions): Promise<Stores> {
  const { database } = config;
  if (database !== undefined) return (await postgres()).openPostgres(database, options);
  refuseEmptied(config);
  return openSqlite(databaseOf(config), options).catch(noPlace(config));
}

function makeDatabase(config: Config): void {
  try {
    openDatabase(databaseOf(config), config.environment).close();
  } catch (cause) {
    noPlace(config)(cause);
  }
}

/** The secret is looked for first, so that a process that is making both just now does no harm. */
function refuseEmptied(config: Config): void {
  const [secret, database] = [inData(config, "secret"), databaseOf(config)];
  if (!isThere(secret) || !isEmpty(database)) return;
  throw new CommandFailure(
    `${database} is empty, but ${secret} shows that there was data. Restore a backup with \`petstore restore\`, or delete both files to start without data.`,
  );
}

/** Loaded where it is used: its driver would make every start on SQLite slower. */
function postgres() {
  return import("./postgres/store.ts");
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

function isEmpty(file: string): boolean {
  try {
    return statSync(file).size === 0;
  } catch {
    return false;
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

/** What the system refused, and for which listener. */
interface Refused {
  readonly code?: string;
  readonly metrics?: true;
  readonly admin?: true;
  readonly setting?: string;
  readonly port?: number;
}

/** Names the setting behind what the system refused. */
function explainStart(config: Config) {
  return (cause: unknown): never => {
    if (cause instanceof CommandFailure) throw cause;
    if (cause instanceof StartRefusal) throw new CommandFailure(cause.message);
    const refused = cause as Refused;
    const [prefix, at]: [string, { host: string; port?: number } | undefined] = refused.metrics
      ? ["PETSTORE_METRICS_", config.metrics]
      : refused.admin
        ? ["PETSTORE_ADMIN_", config.admin]
        : refused.setting
          ? ["PETSTORE_EDGE_", config.domains?.edge]
          : ["", config];
    const port = refused.setting ? refused.port : at?.port;
    const setting = refused.setting ?? `${prefix}PORT`;
    const noHost = `${at?.host} is no address of this machine. Set ${prefix}HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`;
    const low =
      refused.setting === undefined
        ? ""
        : ", and let ports 80 and 443 be forwarded to it, or give the program the right to use them (CAP_NET_BIND_SERVICE)";
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} is taken by another program. Stop it, or set ${setting} to a free port.`,
      EACCES: `Port ${port} may not be used by this user. Set ${setting} to a port from 1024 up${low}.`,
      EADDRNOTAVAIL: noHost,
      EINVAL: noHost,
      ENOENT: noHost,
      ENOTFOUND: noHost,
    };
    const reason = reasons[refused.code ?? ""];
    throw reason === undefined ? cause : new CommandFailure(reason);
  };
}

/** How to write the address we listen on, so that it can be called from this machine. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

/** `port` is that of the listener which has the dashboard. */
function dashboardAt({ admin, baseUrls, environment, host }: Config, port: number): string {
  const configured = admin === undefined ? baseUrls[environment] : admin.url;
  const origin =
    configured === undefined
      ? `http://${reachable(admin?.host ?? host)}:${port}`
      : new URL(configured).origin;
  return `${origin}/dashboard/`;
}

/** Where nobody chose a port, nobody can tell which one a service was given. */
function usualPort({ port }: Config): number {
  return port === 0 ? 8080 : port;
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
    const config = settings();
    const { database } = config;
    // Whether there is one is for the server to say, once it is opened.
    if (database !== undefined) {
      return { path: shownAddress(database.address), exists: true, copiedBy: "pg_dump" };
    }
    const path = databaseOf(config);
    return { path, exists: isThere(path) };
  },
  async openStores() {
    const config = settings();
    return openStores(config, { environment: config.environment });
  },
  async storeVersion() {
    const config = settings();
    const { database, environment } = config;
    if (database !== undefined) {
      return (await postgres()).postgresVersion(database, environment);
    }
    const path = databaseOf(config);
    return sqliteVersion(isThere(path) ? path : undefined, environment);
  },
  stopSignal,
  siteAddress(slug) {
    const port = usualPort(settings());
    return `http://${slug}.localhost${port === 80 ? "" : `:${port}`}/`;
  },
  buildDocs(baseUrl) {
    const config = settings();
    return buildDocsSite(config, { port: usualPort(config), baseUrl });
  },
  domainSettings: () => domainSettings(settings()),
  serviceAddress() {
    const config = settings();
    return `http://${reachable(config.host)}:${usualPort(config)}`;
  },
  servicePreface: () =>
    settings().proxyProtocol.includes("api") ? localProxyHeader : new Uint8Array(),
  dashboardAddress() {
    const config = settings();
    return dashboardAt(config, config.admin?.port ?? usualPort(config));
  },
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
