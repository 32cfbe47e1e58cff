/** Puts the service together, and takes it down again in the right order. */
import { firstLinkMs, issueLink } from "../accounts/sessions.ts";
import type { Config, ProxiedListener } from "../config/config.ts";
import { contractFor } from "../contract/operations.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { type Family, MetricsRegistry } from "../core/metrics.ts";
import { Problem } from "../core/problems.ts";
import { createSiteHosts } from "../hosting/edge/siteAddresses.ts";
import { cachedContents } from "../hosting/edge/siteResponse.ts";
import { type AppParts, createApp } from "../http/app.ts";
import { createHandlers } from "../http/handlers.ts";
import { createWireHandler, listenForAdmin, listenForMetrics } from "../http/listeners.ts";
import { createMetrics } from "../http/metrics.ts";
import {
  type AdminParts,
  createPublicRoutes,
  dashboardPath,
  docsPath,
} from "../http/publicRoutes.ts";
import { throttledReadiness } from "../http/readiness.ts";
import { Recent, type RecentStep } from "../http/recentRequests.ts";
import { Authenticator } from "../petstore/keys/authenticator.ts";
import { mintKey } from "../petstore/keys/lifecycle.ts";
import { OwnCounts, type SharedCounts } from "../petstore/keys/rateLimiter.ts";
import type { Stores, StoresOptions } from "../storage/stores.ts";
import { listen, type OpenListener } from "../wire/listener.ts";
import type { ProxyProtocol } from "../wire/proxyProtocol.ts";
import { TrustedProxies } from "../wire/trustedProxies.ts";
import { startBackground } from "./background.ts";
import { keepOwnDocs, publishedAddresses } from "./ownDocs.ts";
import { platformApi } from "./serveDashboard.ts";
import { startTracing, traceCommit } from "./serveTraces.ts";
import { serviceMetrics, trafficMetrics } from "./serviceMetrics.ts";
import type { ServiceSockets } from "./supervisor/serviceSockets.ts";

export interface ServiceParts {
  readonly config: Config;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly openStores: (options: StoresOptions) => Promise<Stores>;
  /** Whether it does what one process does for all: the site of the documentation, a look at the setup. */
  readonly leads?: boolean;
  /** Where this is one of several processes that another one supervises. */
  readonly member?: Membership | undefined;
  /** What is served in place of the dashboard and its API; they themselves unless said. */
  readonly admin?: (own: AdminParts) => AdminParts;
  /** What the metrics show instead of this process's own, where it supervises others. */
  readonly families?: (own: Families) => ReturnType<Families>;
}

type Families = () => Promise<readonly Family[]>;

/** What one process of several is given. It has no metrics of its own, and makes no first key. */
export interface Membership {
  readonly sockets: ServiceSockets;
  readonly counts: SharedCounts;
  /** The last hour of the other processes, and of those that have ended. */
  recentOfOthers(): Promise<readonly (readonly RecentStep[])[]>;
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
  /** Whether HTTPS works under its own name from the start. */
  readonly hasCertificate: boolean;
  readonly sockets: ServiceSockets;
  readonly counts: SharedCounts;
  readonly recent: Recent;
  readonly families: Families;
  /** All but what the store has to be asked for. */
  counted(): readonly Family[];
  /** Accepts on more of its listening sockets. */
  accept(sockets: ServiceSockets): Promise<void>;
  /** Stops accepting, finishes what is under way, writes everything down and lets go. */
  stop(how?: StopOptions): Promise<void>;
  stopMetrics(): Promise<void>;
}

export interface StopOptions {
  /** Others go on: idle connections are left open for one more request, and it stays ready. */
  readonly replaced?: boolean;
  /** The metrics go on until `stopMetrics`: this process stays, to supervise others. */
  readonly keepMetrics?: boolean;
}

/** How long a process that is replaced leaves idle connections open. */
const idleMsMax = 5_000;

export async function startService(parts: ServiceParts): Promise<Service> {
  const { config, clock, log, member } = parts;
  const counts = member?.counts ?? new OwnCounts(clock);
  const registry = new MetricsRegistry();
  const metrics = createMetrics(registry);
  const recent = new Recent(clock);
  const tracing = await startTracing({ ...parts, registry });
  const tracer = tracing?.tracer;
  const stores = await parts.openStores({
    environment: config.environment,
    clock,
    onCommit(report) {
      metrics.commit(report);
      recent.commit(report);
      if (tracer !== undefined) traceCommit(tracer, report);
    },
  });
  const background = startBackground({ ...parts, stores, registry, tracer });
  const storeReady = throttledReadiness(() => stores.ready(), clock);
  const figures = serviceMetrics({
    ...{ registry, clock, log, stores, ready: storeReady },
    dataFolder: config.dataFolder,
  });
  const contents = cachedContents(stores.sites);
  let leaving = false;
  let stopping = false;
  const ready = async () => {
    if (stopping) throw new Problem("store_unavailable", { detail: "Shutting down." });
    await storeReady();
  };

  const ownAdmin: AdminParts = {
    // At the first request: it would make the start slower.
    dashboard: async () =>
      (await import("../dashboard/published.ts")).publishDashboard(dashboardPath),
    platform: platformApi({
      ...parts,
      stores,
      tracer,
      counts,
      webhookTools: background.webhookTools,
      series: async () => recent.series(await member?.recentOfOthers()),
      ready,
      leaving: () => leaving,
    }),
  };
  const admin = parts.admin?.(ownAdmin) ?? ownAdmin;
  // It names the port, which is known only once connections are accepted: requests for it wait.
  const contract = Promise.withResolvers<string>();
  const publicRoutes = {
    log,
    // Under the API's own origin, so that trying an operation needs no other address.
    docs: async () =>
      (await import("../docs/published.ts")).publishDocs({
        contract: await contract.promise,
        baseUrl: "/v1",
        basePath: docsPath,
      }),
    landing: async () => (await import("../docs/landing.ts")).makeLanding(await contract.promise),
    ready,
  };
  const baseUrl = config.baseUrls[config.environment];
  const appParts: AppParts = {
    handlers: createHandlers({
      ...{ ...stores, clock, log, registry, secret: parts.secret, leaving: () => leaving },
      knownCategoriesOnly: config.knownCategoriesOnly,
    }),
    authenticator: new Authenticator(stores.keys, config.environment, clock),
    revisions: () => stores.revisions(),
    catalogue: stores.catalogue,
    uses: background.uses,
    limiter:
      config.quota && (stores.limiter?.(config.quota) ?? counts.limiter("key", config.quota)),
    clock,
    log,
    tracer,
    metrics: {
      observe(operation, status, seconds) {
        metrics.observe(operation, status, seconds);
        recent.observe(operation, status, seconds);
        background.requestAnswered(seconds);
      },
    },
    baseUrl,
    contract: () => contract.promise,
    sites: createSiteHosts({ sites: stores.sites, contents, log }),
    publicRoutes: createPublicRoutes({
      ...publicRoutes,
      baseUrl,
      admin: config.admin ? undefined : admin,
    }),
  };
  const app = createApp(appParts);

  const undo: (() => unknown)[] = [
    () => background.finish(0),
    () => background.stop(),
    () => figures.stop(),
    () => tracing?.stop(),
    () => stores.close(),
  ];
  const { first, listener, adminListener, metricsListener, domains } = await undoing(
    undo,
    async () => {
      const metricsAt = member === undefined ? config.metrics : undefined;
      const families = () => parts.families?.(figures.families) ?? figures.families();
      const metricsListener =
        metricsAt && (await listenForMetrics(metricsAt, families, clock, log));
      undo.unshift(() => metricsListener?.stop(0));
      const proxies = new TrustedProxies(config.trustedProxies);
      const proxyProtocol = (name: ProxiedListener) =>
        config.proxyProtocol.includes(name) ? refusingOn(log) : undefined;
      const adminListener =
        config.admin &&
        (await listenForAdmin(
          {
            ...config.admin,
            ...member?.sockets.admin,
            proxies,
            proxyProtocol: proxyProtocol("admin"),
          },
          appParts,
          { ...publicRoutes, admin },
        ));
      undo.unshift(() => adminListener?.stop(0));
      const at = { host: config.host, port: config.port, ...member?.sockets.api, proxies };
      const handler = createWireHandler(app, parts);
      const listener = await listen({ ...at, proxyProtocol: proxyProtocol("api") }, handler, clock);
      undo.unshift(() => listener.stop(0));
      contract.resolve(contractFor(publishedAddresses(config, listener.port)));
      const domains =
        config.domains &&
        // Loaded by those alone who have it: it would make every start slower.
        (await (
          await import("./serveDomains.ts")
        ).startDomains(
          {
            ...{ ...parts, stores, contents, handler, proxies, registry, tracer },
            sockets: member?.sockets,
          },
          config.domains,
        ));
      undo.unshift(() => domains?.stop(0));
      // Last of all: a key that is stored must be shown, and nothing may fail in between.
      const first =
        member === undefined ? await createFirstSecrets(stores, config, clock) : noFirstSecrets;
      return { first, listener, adminListener, metricsListener, domains };
    },
  );
  trafficMetrics(registry, () => ({
    api: listener.traffic,
    admin: adminListener?.traffic,
    edge: domains?.edge?.traffic,
  }));
  log.info("service.started", { environment: config.environment, port: listener.port });
  const stopOwnDocs =
    parts.leads && config.docsSite ? keepOwnDocs(parts, stores, listener.port) : undefined;
  const stopObserving =
    parts.leads && config.domains?.ownName ? reportSetup(parts, stores, domains) : undefined;

  return {
    stores,
    port: listener.port,
    adminPort: adminListener?.port,
    metricsPort: metricsListener?.port,
    edge: domains?.edge,
    ...first,
    // The edge may have begun to listen later.
    get sockets() {
      return {
        api: openOf(listener),
        admin: adminListener && openOf(adminListener),
        edgeHttp: domains?.edge?.http,
        edgeHttps: domains?.edge?.https,
      };
    },
    counts,
    recent,
    families: figures.families,
    counted: figures.counted,
    async accept({ api, admin, edgeHttp, edgeHttps }) {
      for (const socket of api.sockets) await listener.accept(socket);
      for (const socket of admin?.sockets ?? []) await adminListener?.accept(socket);
      for (const [index, http] of (edgeHttp?.sockets ?? []).entries()) {
        await domains?.edge?.accept(http, edgeHttps?.sockets[index] as number);
      }
    },
    async stop({ replaced = false, keepMetrics = false } = {}) {
      leaving = true;
      stopping = !replaced;
      log.info("service.stop_started");
      try {
        await Promise.all([stopOwnDocs?.(), stopObserving?.()]);
        const graceMs = config.shutdownSecondsMax * 1000;
        const idleMs = replaced ? Math.min(idleMsMax, graceMs / 2) : 0;
        const [requestsUnderWay] = await Promise.all([
          listener.stop(graceMs, idleMs),
          adminListener?.stop(graceMs, idleMs),
          domains?.stop(graceMs, idleMs),
          background.finish(graceMs),
        ]);
        if (requestsUnderWay > 0) log.warn("shutdown.forced", { requestsUnderWay });
        await background.stop();
        figures.stop();
        await tracing?.stop();
        await stores.close();
        log.info("service.stopped");
      } finally {
        if (!keepMetrics) await metricsListener?.stop(0);
        log.flush();
      }
    },
    async stopMetrics() {
      await metricsListener?.stop(0);
    },
  };
}

const openOf = ({ port, sockets }: OpenListener): OpenListener => ({ port, sockets });

function refusingOn(log: Log): ProxyProtocol {
  return { refused: (reason, peer) => log.warn("connection.refused", { reason, peer }) };
}

/** Says what keeps the name of the service from working, while requests are answered. Returns its end. */
function reportSetup(parts: ServiceParts, stores: Stores, domains?: Pick<Service, "edge">) {
  const ending = new AbortController();
  const { signal } = ending;
  const edgeListens = domains?.edge !== undefined;
  const work = import("./observeSetup.ts")
    .then(({ reportProblems }) => reportProblems({ ...parts, stores, signal, edgeListens }))
    .catch((cause) => void parts.log.error("setup.check_failed", { cause }));
  return async () => {
    ending.abort();
    await work;
  };
}

export type FirstSecrets = Pick<Service, "firstKey" | "firstLink" | "hasKeys" | "hasCertificate">;
const noFirstSecrets: FirstSecrets = {
  ...{ firstKey: undefined, firstLink: undefined },
  ...{ hasKeys: true, hasCertificate: false },
};

/**
 * An empty store gets a key, so that the first call works without another command, and the operator
 * a link to the dashboard. Neither is made where it would be printed into a log.
 */
export async function createFirstSecrets(
  { keys, accounts, edgeView }: Stores,
  { environment, printsFirstKey, domains }: Config,
  clock: Clock,
): Promise<FirstSecrets> {
  const certificate = domains?.ownName && (await edgeView.certificate(domains.ownName));
  const known = { ...noFirstSecrets, hasCertificate: certificate !== undefined };
  if ((await keys.list()).length > 0) return known;
  if (!printsFirstKey) return { ...known, hasKeys: false };
  const wanted = { name: "first key", environment, scopes: "all", expiresAtMs: undefined } as const;
  const { key, token } = mintKey(wanted, clock);
  // The key comes last: a start that fails before it is not the first.
  const link = await issueLink(accounts, clock, { kind: "operator" }, firstLinkMs);
  await keys.add(key);
  return { ...known, firstKey: token, firstLink: link.token };
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
