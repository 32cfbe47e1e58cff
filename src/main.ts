/** Where the program begins, and the only place that knows all of its parts. */
import { mkdirSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isatty } from "node:tty";
import { linkUrl } from "./accounts/sessions.ts";
import { type CliContext, remoteSettings, type StartedService } from "./cli/context.ts";
import { CommandFailure, explain, explainSystem, UsageError } from "./cli/errors.ts";
import { outputTo } from "./cli/output.ts";
import { run } from "./cli/run.ts";
import { Stopped } from "./cli/stopping.ts";
import { type Config, ConfigError, readConfig, requireTerms } from "./config/config.ts";
import { systemClock as clock } from "./core/clock.ts";
import { createLog, type Log, patientWriter } from "./core/log.ts";
import { keptSecret } from "./core/secret.ts";
import type { SetupObservation } from "./hosting/domains/setupChecks.ts";
import { previewAddress, siteAddress } from "./hosting/sites/siteAddress.ts";
import { variablesOfOne, variablesOfService } from "./serve/environments/settings.ts";
import { buildDocsSite } from "./serve/ownDocs.ts";
import { type RunningService, serveAlone } from "./serve/serveAlone.ts";
import {
  dashboardAddress,
  domainSettings,
  reachable,
  sitesHost,
  usualPort,
} from "./serve/serveDashboard.ts";
import { mailTools } from "./serve/serveMails.ts";
import { webhookTools } from "./serve/serveWebhooks.ts";
import { startFailure } from "./serve/startFailure.ts";
import { readOrder, type WorkerOrder } from "./serve/supervisor/worker.ts";
import { shownAddress } from "./storage/postgres/address.ts";
import { openDatabase, openSqlite, sqliteVersion } from "./storage/sqlite/store.ts";
import type { Stores, StoresOptions, StoreVersion } from "./storage/stores.ts";
import { localProxyHeader } from "./wire/proxyProtocol.ts";

function settings(): Config {
  return complaining(() => readConfig(variablesOfOne(process.env)));
}

/** What cannot be understood of the settings is the caller's to correct. */
function complaining<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ConfigError) throw new UsageError(cause.message);
    throw cause;
  }
}

const inData = (config: Config, name: string) =>
  resolve(join(config.dataFolder, config.environment, name));
const databaseOf = (config: Config) => inData(config, "petstore.db");

async function serve(
  overrides: Readonly<Record<string, string>>,
  started: (service: StartedService) => void,
): Promise<void> {
  // Where every process of the service finds them, those of a reload too.
  Object.assign(process.env, overrides);
  if (process.env["PETSTORE_ENVIRONMENTS"]) return serveEnvironments();
  const { config, ...parts } = serveParts();
  // Processes on other machines would make one of their own, and refuse each other's cursors.
  if (config.database !== undefined && config.secret === undefined) {
    parts.log.warn("secret.stored_locally", { file: inData(config, "secret") });
  }
  let service: RunningService | undefined;
  // Closing a terminal ends what runs in it.
  const terminal = isatty(process.stdin.fd);
  const stopRequested = stopSignalOf<NodeJS.Signals>(
    terminal ? ["SIGTERM", "SIGINT", "SIGHUP"] : ["SIGTERM", "SIGINT"],
    () => service?.kill(),
  );
  if (!terminal) process.on("SIGHUP", () => void service?.reload({}).catch(() => {}));
  const running = await startProcesses({ ...parts, config, leads: true }).catch(
    explainStart(config),
  );
  service = running;
  const dashboard = dashboardAddress(config, running.adminPort ?? running.port);
  started({
    ...running,
    baseUrl: `http://${reachable(config.host)}:${running.port}/v1`,
    publicUrl: config.domains?.ownName && config.baseUrls[config.environment],
    environment: config.environment,
    dashboard: {
      address: dashboard,
      firstLink: running.firstLink && linkUrl(dashboard, running.firstLink),
    },
  });
  if (process.send !== undefined) {
    // To the front door of several environments, without which it is not reached any more.
    process.send({ edge: running.edge });
    process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  }
  // After the start was reported, which must not wait for this.
  const stopListening = await listenForCommands(config, running, parts.log);
  await stopRequested;
  stopListening();
  await running.stop();
  if (process.connected) process.disconnect?.();
}

async function serveEnvironments(): Promise<void> {
  const [{ planEnvironments }, { startEnvironments }] = await Promise.all([
    import("./serve/environments/settings.ts"),
    import("./serve/environments/serveEnvironments.ts"),
  ]);
  const plans = complaining(() => planEnvironments(process.env));
  const write = patientWriter((bytes) => writeSync(process.stderr.fd, bytes));
  const [first] = plans;
  const log = createLog(first.config.logLevel, clock, write);
  let running: Awaited<ReturnType<typeof startEnvironments>> | undefined;
  const stopRequested = stopSignalOf(["SIGTERM", "SIGINT"], () => running?.kill());
  process.on("SIGHUP", () => running?.signal("SIGHUP"));
  const args = process.argv.includes("--json") ? ["--json"] : [];
  running = await startEnvironments(plans, { clock, log, args }).catch(explainStart(first.config));
  await stopRequested;
  await running.stop();
}

function explainStart(config: Config) {
  return (cause: unknown): never => {
    const words = startFailure(cause, config);
    throw words === undefined ? cause : new CommandFailure(words);
  };
}

function serveParts() {
  const config = settings();
  complaining(() => requireTerms(config));
  const write = patientWriter((bytes) => writeSync(process.stderr.fd, bytes));
  return {
    config,
    clock,
    log: createLog(config.logLevel, clock, write),
    secret: config.secret ?? madeOrKept(config),
    openStores: (options: StoresOptions) => openStores(config, options),
  };
}

async function startProcesses(parts: Parameters<typeof serveAlone>[0]): Promise<RunningService> {
  if (parts.config.processes === 1) return serveAlone(parts);
  // Loaded by those alone who have several: it would make every start slower.
  const { serveTogether } = await import("./serve/serveTogether.ts");
  return serveTogether(parts);
}

/** Lets `petstore reload` reach this process. Without it there is still SIGHUP. */
async function listenForCommands(config: Config, { port, reload }: RunningService, log: Log) {
  const { controlName, listenForReloads } = await import("./serve/supervisor/control.ts");
  const path = inData(config, controlName(port));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return await listenForReloads(path, reload);
  } catch (cause) {
    log.warn("reload.listen_failed", { path, cause });
    return () => {};
  }
}

async function serveWorker(order: WorkerOrder): Promise<number> {
  const { serveAsWorker } = await import("./serve/serveAsWorker.ts");
  return serveAsWorker(order, () => ({ ...serveParts(), storeVersion }), explain);
}

async function reload(withSettings: boolean): Promise<{ readonly processes: number }> {
  const config = settings();
  const control = await import("./serve/supervisor/control.ts");
  const path = inData(config, control.controlName(usualPort(config)));
  const variables = complaining(() => variablesOfService(process.env, config.environment));
  const request = withSettings ? { settings: control.settingsAmong(variables) } : {};
  const reply = await control.requestReload(path, request).catch((cause) => {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ECONNREFUSED") throw cause;
    throw new CommandFailure(
      `No service answers at ${path}. Start it with petstore serve, or set PORT and PETSTORE_DATA to those of the one that runs.`,
    );
  });
  if (!reply.reloaded) throw new CommandFailure(`Nothing was changed. ${reply.reason}`);
  return reply;
}

/** Loaded where it is used: DNS and ACME would make every start slower. */
async function observe(overrides: Readonly<Record<string, string>>): Promise<SetupObservation> {
  Object.assign(process.env, overrides);
  const config = settings();
  const { path } = context.locateStore();
  const { observeSetup } = await import("./serve/observeSetup.ts");
  return observeSetup({ config, clock, store: { path, version: storeVersion, explain } });
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

async function storeVersion(): Promise<StoreVersion> {
  const config = settings();
  const { database, environment } = config;
  if (database !== undefined)
    return (await postgres()).postgresVersion(database, environment, clock);
  const path = databaseOf(config);
  return sqliteVersion(isThere(path) ? path : undefined, environment);
}

/** Loaded where it is used: its driver would make every start on SQLite slower. */
function postgres() {
  return import("./storage/postgres/store.ts");
}

function noPlace(config: Config) {
  return explainSystem(`There can be no store at ${databaseOf(config)}`, "Check PETSTORE_DATA.");
}

/** Resolves at the first signal to stop; a second one ends the process where it stands. */
function stopSignalOf<Name extends NodeJS.Signals>(
  signals: readonly Name[],
  beforeExit: () => void = () => {},
): Promise<Name> {
  return new Promise((resolve) => {
    let count = 0;
    for (const signal of signals) {
      process.on(signal, () => {
        if (count++ === 0) return resolve(signal);
        beforeExit();
        process.exit(1);
      });
    }
  });
}

let stop: AbortController | undefined;

function stopSignal(): AbortSignal {
  if (stop === undefined) {
    const controller = new AbortController();
    stop = controller;
    void stopSignalOf(["SIGTERM", "SIGINT"]).then((signal) =>
      controller.abort(new Stopped(signal)),
    );
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

function sitesPlace() {
  const config = settings();
  return [sitesHost(config), usualPort(config)] as const;
}

/** Settings are read when they are needed: help must work when one of them is wrong. */
const context: CliContext = {
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
    return openStores(config, { environment: config.environment, clock });
  },
  storeVersion,
  stopSignal,
  remote: () => remoteSettings(process.env),
  siteAddress: (slug) => siteAddress(slug, ...sitesPlace()),
  previewAddress: (id) => previewAddress(id, ...sitesPlace()),
  buildDocs(baseUrl) {
    const config = settings();
    return buildDocsSite(config, { port: usualPort(config), baseUrl });
  },
  domainSettings: () => domainSettings(settings()),
  webhooks() {
    const config = settings();
    return webhookTools(config, config.secret ?? madeOrKept(config), clock);
  },
  mail: () => mailTools(settings(), madeOrKept, clock),
  serviceAddress() {
    const config = settings();
    return `http://${reachable(config.host)}:${usualPort(config)}`;
  },
  servicePreface: () =>
    settings().proxyProtocol.includes("api") ? localProxyHeader : new Uint8Array(),
  dashboardAddress: () => dashboardAddress(settings()),
  serve,
  observeSetup: observe,
  reload,
  async backup(file) {
    const { backupStoppable } = await import("./storage/sqlite/backup.ts");
    return backupStoppable(databaseOf(settings()), file, stopSignal());
  },
  async restore(file) {
    const config = settings();
    const { restoreSqlite } = await import("./storage/sqlite/backup.ts");
    return restoreSqlite(databaseOf(config), file, config.environment, clock);
  },
};

const order = readOrder(process.env);
process.exitCode =
  order === undefined ? await run(process.argv.slice(2), context) : await serveWorker(order);
if (stop?.signal.aborted) {
  await context.stderr.drained().catch(() => {});
  // What was under way may keep the process waiting, for the keyboard for example.
  process.exit();
}
