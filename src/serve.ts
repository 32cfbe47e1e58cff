/** Puts the service together, and takes it down again in the right order. */
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { contractFor } from "./contract/operations.ts";
import { createApp } from "./http/app.ts";
import { createHandlers } from "./http/handlers.ts";
import { listen } from "./http/listener.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { listenForMetrics } from "./http/metricsListener.ts";
import { createOutside } from "./http/outside.ts";
import { Authenticator } from "./keys/authenticator.ts";
import type { Environment } from "./keys/token.ts";
import { UseRecorder } from "./keys/useRecorder.ts";
import type { Log } from "./log.ts";
import { Problem } from "./problems.ts";
import type { Stores, StoresOptions } from "./stores.ts";

export interface ServiceParts {
  readonly config: Config;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly openStores: (options: StoresOptions) => Promise<Stores>;
}

export interface Service {
  readonly stores: Stores;
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Stops accepting, finishes what is under way, writes everything down and lets go. */
  stop(): Promise<void>;
}

const docsFolder = new URL("../docs/", import.meta.url);

export async function startService(parts: ServiceParts): Promise<Service> {
  const { config, clock, log } = parts;
  const metrics: Metrics = createMetrics(async () => stores.size());
  const stores = await parts.openStores({
    environment: config.environment,
    onCommit: metrics.commit,
  });
  const uses = new UseRecorder(stores.keys, clock, (cause) => log.error("uses.lost", { cause }));
  let leaving = false;

  const handle = createApp({
    handlers: createHandlers({ catalogue: stores.catalogue, secret: parts.secret }),
    authenticator: new Authenticator(stores.keys, config.environment, clock),
    uses,
    clock,
    log,
    metrics,
    baseUrl: config.baseUrls[config.environment],
    contract: contractFor(publishedAddresses(config)),
    outside: createOutside({
      docsFolder,
      async ready() {
        if (leaving) throw new Problem("store_unavailable", { detail: "Shutting down." });
        await stores.ready();
      },
    }),
    leaving: () => leaving,
  });

  const listener = await closingOnFailure(stores, () => listen(config, handle, clock, log));
  const metricsListener =
    config.metrics === undefined
      ? undefined
      : await closingOnFailure(stores, () =>
          listenForMetrics(config.metrics ?? { host: "", port: 0 }, metrics, log),
        );
  log.info("service.started", { environment: config.environment, port: listener.port });

  return {
    stores,
    port: listener.port,
    metricsPort: metricsListener?.port,
    async stop() {
      leaving = true;
      log.info("service.stopping");
      await listener.stop(config.shutdownSecondsMax * 1000);
      await uses.close();
      await stores.close();
      metricsListener?.stop();
      log.info("service.stopped");
      log.flush();
    },
  };
}

async function closingOnFailure<T>(stores: Stores, start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (cause) {
    await stores.close();
    throw cause;
  }
}

/** What the contract's `servers` say where nothing was set: this machine, on the usual ports. */
function publishedAddresses({ baseUrls, environment, port }: Config): Record<Environment, string> {
  const usual = { production: 8080, staging: 8081, [environment]: port };
  return {
    production: baseUrls.production ?? `http://localhost:${usual.production}/v1`,
    staging: baseUrls.staging ?? `http://localhost:${usual.staging}/v1`,
  };
}
