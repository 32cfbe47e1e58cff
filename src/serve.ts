/** Puts the service together, and takes it down again in the right order. */
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { contractFor } from "./contract/operations.ts";
import { publishDocs } from "./docs/published.ts";
import { createApp } from "./http/app.ts";
import { createHandlers } from "./http/handlers.ts";
import { listen } from "./http/listener.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { listenForMetrics } from "./http/metricsListener.ts";
import { createOutside, docsPath } from "./http/outside.ts";
import { askedSeldom } from "./http/readiness.ts";
import { Authenticator } from "./keys/authenticator.ts";
import { mintKey } from "./keys/lifecycle.ts";
import { TokenBuckets } from "./keys/rateLimiter.ts";
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
  /** The key that an empty store was given, shown now and never again. */
  readonly firstKey: string | undefined;
  /** Stops accepting, finishes what is under way, writes everything down and lets go. */
  stop(): Promise<void>;
}

const root = new URL("../", import.meta.url).href;

export async function startService(parts: ServiceParts): Promise<Service> {
  const { config, clock, log } = parts;
  const metrics: Metrics = createMetrics(async () => stores.size());
  const stores = await parts.openStores({
    environment: config.environment,
    onCommit: metrics.commit,
  });
  const uses = new UseRecorder(stores.keys, clock, (cause) => log.error("uses.lost", { cause }));
  const storeReady = askedSeldom(() => stores.ready(), clock);
  let leaving = false;

  const handle = createApp({
    handlers: createHandlers({
      catalogue: stores.catalogue,
      categories: stores.categories,
      orders: stores.orders,
      clock,
      secret: parts.secret,
      knownCategoriesOnly: config.knownCategoriesOnly,
    }),
    authenticator: new Authenticator(stores.keys, config.environment, clock),
    uses,
    limiter: config.quota && new TokenBuckets(config.quota, clock),
    clock,
    log,
    metrics,
    baseUrl: config.baseUrls[config.environment],
    contract: () => contract,
    outside: createOutside({
      log,
      // Under the API's own origin, so that trying an operation needs no other address.
      docs: () => publishDocs({ contract, root, baseUrl: "/v1", basePath: docsPath }),
      async ready() {
        if (leaving) throw new Problem("store_unavailable", { detail: "Shutting down." });
        await storeReady();
      },
    }),
    leaving: () => leaving,
  });

  const undo: (() => void | Promise<void>)[] = [() => stores.close()];
  const { firstKey, listener, metricsListener } = await undoing(undo, async () => {
    const { metrics: at } = config;
    const metricsListener = at && (await listenForMetrics(at, metrics, log));
    undo.unshift(() => metricsListener?.stop());
    const listener = listen(config, handle, clock, log);
    undo.unshift(() => listener.stop(0));
    // Last of all: a key that is stored must be shown, and nothing may fail in between.
    const firstKey = await firstKeyOf(stores, config.environment, clock);
    return { firstKey, listener, metricsListener };
  });
  const contract = contractFor(publishedAddresses(config, listener.port));
  log.info("service.started", { environment: config.environment, port: listener.port });

  return {
    stores,
    port: listener.port,
    metricsPort: metricsListener?.port,
    firstKey,
    async stop() {
      leaving = true;
      log.info("service.stopping");
      try {
        await listener.stop(config.shutdownSecondsMax * 1000);
        await uses.close();
        await stores.close();
        log.info("service.stopped");
      } finally {
        metricsListener?.stop();
        log.flush();
      }
    },
  };
}

/** An empty store gets a key, so that the first call works without another command. */
async function firstKeyOf(
  { keys }: Stores,
  environment: Environment,
  clock: Clock,
): Promise<string | undefined> {
  if ((await keys.list()).length > 0) return undefined;
  const wanted = { name: "first key", environment, scopes: "all", expiresAtMs: undefined } as const;
  const { key, token } = mintKey(wanted, clock);
  await keys.add(key);
  return token;
}

/** A service that cannot start whole lets go of what it had already taken. */
async function undoing<T>(
  undo: readonly (() => void | Promise<void>)[],
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (cause) {
    for (const step of undo) await step();
    throw cause;
  }
}

/** What the contract's `servers` say where nothing was set: this machine, on the usual ports. */
function publishedAddresses(
  { baseUrls, environment }: Config,
  port: number,
): Record<Environment, string> {
  const usual = { production: 8080, staging: 8081, [environment]: port };
  return {
    production: baseUrls.production ?? `http://localhost:${usual.production}/v1`,
    staging: baseUrls.staging ?? `http://localhost:${usual.staging}/v1`,
  };
}
