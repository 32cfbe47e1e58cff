/** Puts the service together, and takes it down again in the right order. */
import { firstLinkMs, issueLink } from "./accounts/links.ts";
import type { Clock } from "./clock.ts";
import type { Config, ProxiedListener } from "./config.ts";
import { contractFor } from "./contract/operations.ts";
import { publishDocs } from "./docs/published.ts";
import { cachedContents } from "./edge/siteCache.ts";
import { createSiteHosts } from "./edge/siteHosts.ts";
import { listenForAdmin } from "./http/adminListener.ts";
import { type AppParts, createApp } from "./http/app.ts";
import { Recent } from "./http/dashboardApi/recent.ts";
import { createHandlers } from "./http/handlers.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { listenForMetrics } from "./http/metricsListener.ts";
import { type AdminParts, createOutside, dashboardPath, docsPath } from "./http/outside.ts";
import { askedSeldom } from "./http/readiness.ts";
import { createWireHandler } from "./http/wireHandler.ts";
import { Authenticator } from "./keys/authenticator.ts";
import { mintKey } from "./keys/lifecycle.ts";
import { TokenBuckets } from "./keys/rateLimiter.ts";
import type { Environment } from "./keys/token.ts";
import { UseRecorder } from "./keys/useRecorder.ts";
import type { Log } from "./log.ts";
import { Problem } from "./problems.ts";
import { deployOwnDocs } from "./sites/ownDocs.ts";
import type { Stores, StoresOptions } from "./stores.ts";
import { listen } from "./wire/listener.ts";
import type { HttpRequest, HttpResponse } from "./wire/message.ts";
import type { ProxyProtocol } from "./wire/proxyProtocol.ts";
import { TrustedProxies } from "./wire/trustedProxies.ts";

export interface ServiceParts {
  readonly config: Config;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly openStores: (options: StoresOptions) => Promise<Stores>;
  /** Whether the service's own documentation is to be a site of its own, kept up to date. */
  readonly ownDocs?: boolean;
}

export interface Service {
  readonly stores: Stores;
  readonly port: number;
  /** Where the dashboard is; undefined where it is on the port of the service. */
  readonly adminPort: number | undefined;
  readonly metricsPort: number | undefined;
  /** Where attached names are answered for; undefined where this process does not. */
  readonly edge: { readonly httpPort: number; readonly httpsPort: number } | undefined;
  /** The key that an empty store was given, shown now and never again. */
  readonly firstKey: string | undefined;
  /** With it, the token of the operator's first link to the dashboard. */
  readonly firstLink: string | undefined;
  /** False where there is no API key yet: every call is refused until one is created. */
  readonly hasKeys: boolean;
  /** Stops accepting, finishes what is under way, writes everything down and lets go. */
  stop(): Promise<void>;
}

export async function startService(parts: ServiceParts): Promise<Service> {
  const { config, clock, log } = parts;
  const metrics: Metrics = createMetrics(async () => stores.size());
  const recent = new Recent(clock);
  const stores = await parts.openStores({
    environment: config.environment,
    onCommit(report) {
      metrics.commit(report);
      recent.commit(report);
    },
  });
  const uses = new UseRecorder(stores.keys, clock, (cause) => log.error("uses.lost", { cause }));
  const storeReady = askedSeldom(() => stores.ready(), clock);
  const contents = cachedContents(stores.sites);
  let leaving = false;
  const ready = async () => {
    if (leaving) throw new Problem("store_unavailable", { detail: "Shutting down." });
    await storeReady();
  };

  const admin: AdminParts = {
    // Only when somebody comes: what this takes would make the start slower.
    dashboard: async () =>
      (await import("./dashboard/published.ts")).publishDashboard(dashboardPath),
    internal: internalApi({ ...parts, stores, recent, ready, leaving: () => leaving }),
  };
  const outside = {
    log,
    // Under the API's own origin, so that trying an operation needs no other address.
    docs: () => publishDocs({ contract, baseUrl: "/v1", basePath: docsPath }),
    landing: async () => (await import("./docs/landing.ts")).makeLanding(contract),
    ready,
  };
  const baseUrl = config.baseUrls[config.environment];
  const appParts: AppParts = {
    handlers: createHandlers({
      catalogue: stores.catalogue,
      categories: stores.categories,
      orders: stores.orders,
      clock,
      secret: parts.secret,
      knownCategoriesOnly: config.knownCategoriesOnly,
    }),
    authenticator: new Authenticator(stores.keys, config.environment, clock),
    revisions: () => stores.revisions(),
    catalogue: stores.catalogue,
    uses,
    limiter:
      config.quota && (stores.limiter?.(config.quota) ?? new TokenBuckets(config.quota, clock)),
    clock,
    log,
    metrics: {
      observe(operation, status, seconds) {
        metrics.observe(operation, status, seconds);
        recent.observe(operation, status, seconds);
      },
    },
    baseUrl,
    contract: () => contract,
    sites: createSiteHosts({ store: stores.sites, contents, log }),
    outside: createOutside({ ...outside, baseUrl, admin: config.admin ? undefined : admin }),
  };
  const app = createApp(appParts);

  const undo: (() => unknown)[] = [() => stores.close()];
  const { first, listener, adminListener, metricsListener, domains } = await undoing(
    undo,
    async () => {
      const metricsListener =
        config.metrics && (await listenForMetrics(config.metrics, metrics, clock, log));
      undo.unshift(() => metricsListener?.stop(0));
      const proxies = new TrustedProxies(config.trustedProxies);
      const proxyProtocol = (name: ProxiedListener) =>
        config.proxyProtocol.includes(name) ? refusingOn(log) : undefined;
      const adminListener =
        config.admin &&
        (await listenForAdmin(
          { ...config.admin, proxies, proxyProtocol: proxyProtocol("admin") },
          appParts,
          { ...outside, admin },
        ));
      undo.unshift(() => adminListener?.stop(0));
      const at = { host: config.host, port: config.port, proxies };
      const listener = await listen(
        { ...at, proxyProtocol: proxyProtocol("api") },
        createWireHandler(app, parts),
        clock,
      );
      undo.unshift(() => listener.stop(0));
      const domains =
        config.domains &&
        // Loaded by those alone who have it: it would make every start slower.
        (await (
          await import("./serveDomains.ts")
        ).startDomains({ ...parts, stores, contents, proxies }, config.domains));
      undo.unshift(() => domains?.stop(0));
      // Last of all: a key that is stored must be shown, and nothing may fail in between.
      const first = await firstSecretsOf(stores, config, clock);
      return { first, listener, adminListener, metricsListener, domains };
    },
  );
  const contract = contractFor(publishedAddresses(config, listener.port));
  log.info("service.started", { environment: config.environment, port: listener.port });
  const stopOwnDocs = parts.ownDocs ? keepOwnDocs(parts, stores, listener.port) : undefined;

  return {
    stores,
    port: listener.port,
    adminPort: adminListener?.port,
    metricsPort: metricsListener?.port,
    edge: domains?.edge,
    ...first,
    async stop() {
      leaving = true;
      log.info("service.stopping");
      try {
        await stopOwnDocs?.();
        const graceMs = config.shutdownSecondsMax * 1000;
        const [requestsUnderWay] = await Promise.all([
          listener.stop(graceMs),
          adminListener?.stop(graceMs),
          domains?.stop(graceMs),
        ]);
        if (requestsUnderWay > 0) log.warn("shutdown.forced", { requestsUnderWay });
        await uses.close();
        await stores.close();
        log.info("service.stopped");
      } finally {
        await metricsListener?.stop(0);
        log.flush();
      }
    },
  };
}

function refusingOn(log: Log): ProxyProtocol {
  return { refused: (reason, peer) => log.warn("connection.refused", { reason, peer }) };
}

interface InternalParts extends Pick<ServiceParts, "config" | "clock" | "log"> {
  readonly stores: Stores;
  readonly recent: Recent;
  readonly ready: () => Promise<void>;
  readonly leaving: () => boolean;
}

/** Loaded when somebody comes: the list of public suffixes would make every start slower. */
function internalApi({ config, stores, ...parts }: InternalParts) {
  const make = async () => {
    const [{ createInternalApi }, { DomainDesk }, { openSessions }, { dashboardPlaces }] =
      await Promise.all([
        import("./http/internal/internalApi.ts"),
        import("./domains/desk.ts"),
        import("./http/session/openSessions.ts"),
        import("./http/dashboardApi/dashboardPlaces.ts"),
      ]);
    const desk = new DomainDesk({ ...stores, clock: parts.clock, ...domainSettings(config) });
    const baseUrl = adminBaseUrl(config);
    const sessions = openSessions({ ...parts, ...stores, baseUrl });
    const { authenticate } = sessions;
    const places = dashboardPlaces({ ...parts, stores, environment: config.environment });
    const others = createInternalApi({ ...parts, desk, ...stores, baseUrl, authenticate, places });
    return async (request: HttpRequest) => sessions.handle(request) ?? others(request);
  };
  let made: ReturnType<typeof make> | undefined;
  return async (request: HttpRequest): Promise<HttpResponse> => {
    made ??= make().catch((cause) => {
      made = undefined;
      throw cause;
    });
    return (await made)(request);
  };
}

/** The configured address of the API beside the dashboard. */
function adminBaseUrl({ admin, baseUrls, environment }: Config): string | undefined {
  if (admin === undefined) return baseUrls[environment];
  return admin.url && `${admin.url}/v1`;
}

/** What the desk of domains must know of the settings. */
export function domainSettings({ domains, baseUrls }: Config) {
  const reserved = Object.values(baseUrls).map((address) => new URL(address).hostname);
  return { target: domains?.target, reserved, publicHttpsPort: domains?.edge.publicHttpsPort };
}

/** The service's documentation as a site of its own: the files by their paths. */
export async function buildDocsSite(
  config: Config,
  { port, baseUrl, signal }: { port: number; baseUrl?: string | undefined; signal?: AbortSignal },
): Promise<ReadonlyMap<string, Uint8Array>> {
  const addresses = publishedAddresses(config, port);
  const contract = contractFor(addresses);
  // On another origin than the API, so its pages need the API's whole address.
  const input = {
    contract,
    baseUrl: baseUrl ?? addresses[config.environment],
    basePath: "/",
  };
  const { files } = await publishDocs(input, signal);
  return new Map([...files].map(([path, { bytes }]) => [path, bytes]));
}

/** Brings the site of the documentation up to date while requests are answered. Returns its end. */
function keepOwnDocs({ config, clock, log }: ServiceParts, { sites: store }: Stores, port: number) {
  const ending = new AbortController();
  const { signal } = ending;
  const work = (async () => {
    try {
      const files = await buildDocsSite(config, { port, signal });
      log.info("docs.site", { ...(await deployOwnDocs(files, { store, clock, signal })) });
    } catch (cause) {
      if (!signal.aborted) log.error("docs.site_failed", { cause });
    }
  })();
  return async () => {
    ending.abort();
    await work;
  };
}

/**
 * An empty store gets a key, so that the first call works without another command, and the operator
 * a link to the dashboard. Neither is made where it would be printed into a log.
 */
async function firstSecretsOf(
  { keys, accounts }: Stores,
  { environment, printsFirstKey }: Config,
  clock: Clock,
): Promise<Pick<Service, "firstKey" | "firstLink" | "hasKeys">> {
  const none = { firstKey: undefined, firstLink: undefined };
  if ((await keys.list()).length > 0) return { ...none, hasKeys: true };
  if (!printsFirstKey) return { ...none, hasKeys: false };
  const wanted = { name: "first key", environment, scopes: "all", expiresAtMs: undefined } as const;
  const { key, token } = mintKey(wanted, clock);
  // The key comes last: a start that fails before it is not the first.
  const link = await issueLink(accounts, clock, { kind: "operator" }, firstLinkMs);
  await keys.add(key);
  return { firstKey: token, firstLink: link.token, hasKeys: true };
}

/** A service that cannot start whole lets go of what it had already taken. */
async function undoing<T>(undo: readonly (() => unknown)[], start: () => Promise<T>): Promise<T> {
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
