/** Where the program begins, and the only place that knows all of its parts. */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { outputTo } from "./cli/output.ts";
import { run } from "./cli/run.ts";
import { CommandFailure, type StartedService, type World } from "./cli/world.ts";
import { systemClock as clock } from "./clock.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { mintKey } from "./keys/lifecycle.ts";
import { createLog } from "./log.ts";
import { keptSecret } from "./secret.ts";
import { startService } from "./serve.ts";
import { backupSqlite, restoreSqlite } from "./sqlite/backup.ts";
import { openSqlite } from "./sqlite/store.ts";
import type { Stores } from "./stores.ts";

function settings(): Config {
  try {
    return readConfig(process.env);
  } catch (cause) {
    if (cause instanceof ConfigError) throw new CommandFailure(cause.message, 2);
    throw cause;
  }
}

const inData = (config: Config, name: string) => join(config.dataFolder, config.environment, name);
const databaseOf = (config: Config) => inData(config, "petstore.db");

async function serve(started: (service: StartedService) => void): Promise<void> {
  const config = settings();
  const log = createLog(config.logLevel, clock, (lines) => writeSync(process.stderr.fd, lines));
  const secret = config.secret ?? keptSecret(inData(config, "secret"), clock);
  const told = toldToStop();
  const service = await startService({
    config,
    secret,
    clock,
    log,
    openStores: (options) => openSqlite(databaseOf(config), options),
  }).catch(explainStart(config));
  started({
    baseUrl: `http://${reachable(config.host)}:${service.port}/v1`,
    environment: config.environment,
    firstKey: await firstKey(config, service.stores),
  });
  await told;
  await service.stop();
}

/** Resolves at the first signal to stop; a second one ends the process where it stands. */
function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => (count++ === 0 ? resolve() : process.exit(1)));
    }
  });
}

function explainStart(config: Config) {
  return (cause: unknown): never => {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    const metrics = config.metrics === undefined ? "" : `, or ${config.metrics.port} for metrics,`;
    throw new CommandFailure(
      `Port ${config.port}${metrics} is taken by another program. Stop it, or set PORT or PETSTORE_METRICS_PORT to a free port.`,
    );
  };
}

/** How to write the address we listen on, so that it can be called from this machine. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

/** An empty store gets a key, so that the first call works without another command. */
async function firstKey(config: Config, stores: Stores): Promise<string | undefined> {
  if ((await stores.keys.list()).length > 0) return undefined;
  const { environment } = config;
  const { key, token } = mintKey(
    { name: "first key", environment, scopes: "all", expiresAtMs: undefined },
    clock,
  );
  await stores.keys.add(key);
  return token;
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
  async openStores() {
    const config = settings();
    return openSqlite(databaseOf(config), { environment: config.environment });
  },
  serve,
  backup: async (file) => backupSqlite(databaseOf(settings()), file),
  async restore(file) {
    const config = settings();
    return restoreSqlite(databaseOf(config), file, config.environment);
  },
};

process.exitCode = await run(process.argv.slice(2), world);
