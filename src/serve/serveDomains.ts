/** Starts what custom domains need of this process: an edge, a worker, both or neither. */
import { readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { DomainsConfig } from "../config/domainsConfig.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { MetricsRegistry } from "../core/metrics.ts";
import type { Tracer } from "../core/tracing.ts";
import { Vault } from "../core/vault.ts";
import { isOwnName } from "../hosting/domains/domain.ts";
import { keepOwnNames, retryOwnNames } from "../hosting/domains/ownName.ts";
import type { JobContext } from "../hosting/domains/updates.ts";
import { DomainWorker } from "../hosting/domains/worker.ts";
import type { RunningEdge } from "../hosting/edge/edge.ts";
import { type ServedContents, siteResponse } from "../hosting/edge/siteResponse.ts";
import type { SiteStore } from "../hosting/sites/sites.ts";
import type { Stores } from "../storage/stores.ts";
import type { HttpHandler } from "../wire/message.ts";
import { localProxyHeader } from "../wire/proxyProtocol.ts";
import type { TrustedProxies } from "../wire/trustedProxies.ts";
import { tracedAuthority } from "./serveTraces.ts";
import { listenPersistently } from "./startFailure.ts";
import type { ServiceSockets } from "./supervisor/serviceSockets.ts";

export interface DomainParts {
  readonly config: Config;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly stores: Stores;
  readonly contents: ServedContents;
  /** Answers for the service under its own name. */
  readonly handler: HttpHandler;
  readonly proxies: TrustedProxies;
  readonly registry: MetricsRegistry;
  readonly tracer?: Tracer | undefined;
  /** Listening sockets that another process opened; without those of the edge, it is not served. */
  readonly sockets?: ServiceSockets | undefined;
}

export interface RunningDomains {
  /** Undefined where this process answers for no attached name. */
  readonly edge: Omit<RunningEdge, "stop"> | undefined;
  /** Leaves idle connections open for `idleMs`. */
  stop(graceMs: number, idleMs?: number): Promise<void>;
}

export async function startDomains(
  parts: DomainParts,
  domains: DomainsConfig,
): Promise<RunningDomains> {
  const { config, clock } = parts;
  const id = Buffer.from(clock.random(8)).toString("hex");
  const vault = new Vault(parts.secret, clock);
  // Sockets come from the process that opened the others, and only once it has these, too.
  const opens = parts.sockets === undefined || parts.sockets.edgeHttp !== undefined;
  const edge =
    config.roles.includes("edge") && opens
      ? await listenPersistently(() => startOwnEdge(parts, domains, vault, id), parts)
      : undefined;
  const worker = config.roles.includes("worker")
    ? await startWorker(parts, domains, vault, id).catch(async (cause) => {
        await edge?.stop(0);
        throw cause;
      })
    : undefined;
  return {
    get edge() {
      return edge?.running();
    },
    async stop(graceMs, idleMs) {
      await Promise.all([worker?.stop(graceMs), edge?.stop(graceMs, idleMs)]);
    },
  };
}

// What follows is loaded when it is needed: a service without custom domains starts faster.

async function startOwnEdge(
  { config, clock, log, stores, contents, proxies, sockets, handler, registry }: DomainParts,
  { edge, ownName, sites }: DomainsConfig,
  vault: Vault,
  id: string,
) {
  const { startEdge } = await import("../hosting/edge/edge.ts");
  const { withSiteAddresses } = await import("../hosting/edge/siteAddresses.ts");
  const view = sites
    ? withSiteAddresses({ ...stores, view: stores.edgeView, sitesHost: sites.host })
    : stores.edgeView;
  const holder = ownName === undefined ? undefined : await stores.domains.holderOf(ownName);
  const attached = holder !== undefined && !isOwnName(holder.domain);
  const named = (cause: unknown): never => {
    const { port } = cause as { port?: number };
    const setting = port === edge.httpPort ? "PETSTORE_EDGE_HTTP_PORT" : "PETSTORE_EDGE_HTTPS_PORT";
    throw Object.assign(cause as Error, { setting });
  };
  return startEdge({
    view,
    vault,
    clock,
    log,
    certificateFile:
      sites?.certificates.kind === "file"
        ? { ...sites.certificates, below: sites.host }
        : undefined,
    serveSite: (request, deployment) => siteResponse(request, deployment, contents),
    own: ownName === undefined || attached ? undefined : { host: ownName, handler },
    id,
    ...edge,
    reachableAt: edge.address,
    http: sockets?.edgeHttp,
    https: sockets?.edgeHttps,
    proxies,
    metrics: registry,
    proxyProtocol: config.proxyProtocol.includes("edge"),
  }).catch(named);
}

async function startWorker(
  { config, clock, log, stores, registry, tracer }: DomainParts,
  domains: DomainsConfig,
  vault: Vault,
  id: string,
) {
  const [
    { createResolver },
    { recursorsOfSystem },
    { AcmeAuthority },
    { Authorities },
    { renewalNameOf },
    { countedAuthority, countedResolver },
    probing,
  ] = await Promise.all([
    import("../hosting/dns/resolver.ts"),
    import("../hosting/dns/addresses.ts"),
    import("../hosting/acme/authority.ts"),
    import("../hosting/acme/authorities.ts"),
    import("../hosting/acme/certificates.ts"),
    import("../hosting/domains/domainMetrics.ts"),
    import("../hosting/edge/probe.ts"),
  ]);
  const { dns, acme } = domains;
  const preface = config.proxyProtocol.includes("edge") ? localProxyHeader : undefined;
  const resolver = createResolver({
    clock,
    recursors: dns.recursors ?? recursorsOfSystem(),
    authorityPort: dns.authorityPort,
    allowPrivateAddresses: dns.privateAddresses,
  });
  const trustPem = acme.trustFile === undefined ? undefined : trustedRoot(acme.trustFile);
  const { contact } = acme;
  const { acmeAccounts: accounts } = stores;
  if (acme.fallbackNeedsContact) {
    const next = "Set PETSTORE_ACME_CONTACT, or PETSTORE_ACME_FALLBACK=off.";
    log.info("authority.fallback_omitted", { next });
  }
  const shared = { clock, accounts, vault, contact, trustPem, termsAgreed: true, log };
  const authority = new Authorities(
    acme.authorities.map(({ directory, externalAccount, caaIdentities }) => {
      return new AcmeAuthority({ ...shared, directory, externalAccount, caaIdentities });
    }),
  );
  const certificates = domains.sites?.certificates;
  const parts: JobContext = {
    store: stores.domains,
    edgeView: stores.edgeView,
    resolver: countedResolver(resolver, registry),
    authority: countedAuthority(
      tracer === undefined ? authority : tracedAuthority(authority, tracer, clock),
      registry,
    ),
    probe: (edge, host, token) => probing.probeEdge(edge, host, token, clock, preface),
    publishTxt:
      certificates?.kind === "wildcard"
        ? async (name, value) => {
            const { publishTxt } = await import("../hosting/dns/dnsChallenge.ts");
            await publishTxt(name, value, { server: certificates.update, resolver, clock });
          }
        : undefined,
    ownLimits: acme.ownLimits,
    now: () => clock.now(),
    vault,
    clock,
    target: domains.target,
    renewalNameOf,
    log,
  };
  const worker = new DomainWorker(parts, { holder: id, leaseMs: domains.leaseSeconds * 1000 });
  let kept: number | undefined;
  /** Again after every change of what is published. */
  const keepNames = async () => {
    const revision = stores.sites.revision();
    if (revision === kept) return;
    const names = await ownNames(domains, stores.sites);
    for (const host of await keepOwnNames(names, parts)) {
      log.error("domain.reclaim_failed", { host });
    }
    kept = revision;
  };
  await retryOwnNames(parts);
  await keepNames();
  const failed = (cause: unknown) => log.error("domains.read_failed", { cause });
  const stopKeeping = clock.every(ownNamesEveryMs, () => void keepNames().catch(failed));
  worker.start();
  return {
    async stop(graceMs: number) {
      stopKeeping();
      // Ends what still waits for a response.
      const cancel = clock.after(graceMs, () => resolver.close());
      await worker.stop(graceMs);
      cancel();
      resolver.close();
    },
  };
}

/** A site that was published just now has its certificate soon after. */
const ownNamesEveryMs = 1_000;

/** The names of the platform itself for which it orders certificates. */
async function ownNames({ ownName, sites }: DomainsConfig, store: SiteStore): Promise<string[]> {
  const own = ownName === undefined ? [] : [ownName];
  if (sites?.certificates.kind === "wildcard") return [...own, `*.${sites.host}`];
  if (sites?.certificates.kind !== "each") return own;
  const shown = (await store.listProjects()).filter(({ current }) => current !== undefined);
  return [...own, ...shown.map(({ slug }) => `${slug}.${sites.host}`)];
}

function trustedRoot(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code = "unreadable" } = cause as NodeJS.ErrnoException;
    throw new Error(`PETSTORE_ACME_TRUST names ${file}, which cannot be read (${code}).`, {
      cause,
    });
  }
}
