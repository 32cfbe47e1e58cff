/** The settings, read from the environment once. What cannot be understood is named, all at once. */
import { type SecondFactorPolicy, secondFactorPolicies } from "../accounts/secondFactors.ts";
import { type LogLevel, logLevels } from "../core/log.ts";
import type { Quota } from "../petstore/keys/rateLimiter.ts";
import { type Environment, environments } from "../petstore/keys/token.ts";
import { loopbackNetworks, type Network, networkIn } from "../wire/trustedProxies.ts";
import { type DomainsConfig, readDomainsConfig } from "./domainsConfig.ts";
import { type MailConfig, readMailConfig } from "./mailConfig.ts";
import {
  anyText,
  host,
  httpUrl,
  kind,
  listenHost,
  listOf,
  oneOf,
  onOrOff,
  port,
  settingsOf,
  type Variables,
  wholeNumber,
} from "./settings.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  /** The PostgreSQL database; undefined where the data folder holds one of SQLite. */
  readonly database: DatabaseConfig | undefined;
  readonly environment: Environment;
  /** The addresses that were set; an unset one follows from what is known when it is needed. */
  readonly baseUrls: Readonly<Partial<Record<Environment, string>>>;
  readonly secret: string | undefined;
  /** Who needs a second factor to use the dashboard. */
  readonly secondFactor: SecondFactorPolicy;
  /** Where the dashboard and its API are; undefined where they are on the port of the service. */
  readonly admin: AdminConfig | undefined;
  /** Undefined where metrics are off. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly logLevel: LogLevel | "off";
  /** Where traces go, and the share of what begins here; undefined where nothing is traced. */
  readonly traces: { readonly url: string; readonly ratio: number } | undefined;
  readonly shutdownSecondsMax: number;
  /** How many processes answer; `auto` is one for each processor. */
  readonly processes: number | "auto";
  /** Whether a start without any API key creates one and prints it. */
  readonly printsFirstKey: boolean;
  /** Where the proxies are whose word on the origin of a request counts. */
  readonly trustedProxies: readonly Network[];
  /** The listeners on which every connection begins with a header of the PROXY protocol. */
  readonly proxyProtocol: readonly ProxiedListener[];
  /** What each key may ask for; undefined where requests are not limited. */
  readonly quota: Quota | undefined;
  /** How long events can be read. */
  readonly eventsDays: number;
  /** Where webhooks may be sent although it is not public. */
  readonly webhookNetworks: readonly Network[];
  /** Undefined where nothing is mailed. */
  readonly mail: MailConfig | undefined;
  /** Whether a pet's category must be among the categories. */
  readonly knownCategoriesOnly: boolean;
  /** Whether a start deploys the service's own documentation as a site. */
  readonly docsSite: boolean;
  /** What this process does for custom domains, beside the API. */
  readonly roles: readonly Role[];
  /** Undefined where no custom domains are served. */
  readonly domains: DomainsConfig | undefined;
}

export interface AdminConfig {
  readonly host: string;
  readonly port: number;
  /** The origin that people use; undefined where it follows the request. */
  readonly url: string | undefined;
}

export interface DatabaseConfig {
  /** With its password: for no eyes and no log. */
  readonly address: string;
  readonly connectionsMax: number;
  /** Whether statements may be kept by the server under a name, which an old pgbouncer mixes up. */
  readonly namedStatements: boolean;
}

/** `edge` answers for attached names; `worker` checks them and gets their certificates. */
export const roles = ["edge", "worker"] as const;
export type Role = (typeof roles)[number];

export const proxiedListeners = ["api", "admin", "edge"] as const;
export type ProxiedListener = (typeof proxiedListeners)[number];

/** Says every setting that is wrong, what it was and what it accepts. */
export class ConfigError extends Error {
  constructor(complaints: readonly string[]) {
    super(complaints.join("\n"));
    this.name = "ConfigError";
  }
}

export function readConfig(variables: Variables): Config {
  const { setting, complaints } = settingsOf(variables);
  const listensOn = setting("HOST", "127.0.0.1", listenHost);
  const production = setting("PETSTORE_BASE_URL", undefined, baseAddress);
  const staging = setting("PETSTORE_STAGING_BASE_URL", undefined, baseAddress);
  const address = setting("DATABASE_URL", undefined, databaseAddress);
  const database = {
    connectionsMax: setting("PETSTORE_DATABASE_POOL", 10, connections),
    namedStatements: setting("PETSTORE_DATABASE_PREPARE", false, onOrOff),
  };
  const adminPort = setting("PETSTORE_ADMIN_PORT", undefined, port);
  const admin = {
    host: setting("PETSTORE_ADMIN_HOST", "127.0.0.1", host),
    url: setting("PETSTORE_ADMIN_URL", undefined, originAddress),
  };
  const metricsPort = setting("PETSTORE_METRICS_PORT", 9464, portOrOff);
  const metricsHost = setting("PETSTORE_METRICS_HOST", "127.0.0.1", host);

  const collector = setting("PETSTORE_OTLP_URL", undefined, collectorAddress);
  const traceRatio = setting("PETSTORE_TRACE_RATIO", 0.01, ratio);

  const served = setting("PETSTORE_ENV", "production", environment);
  const domains = readDomainsConfig(setting, complaints, { listensOn, environment: served });
  const own = domains && ownBaseUrl(domains);
  const config: Config = {
    host: listensOn,
    port: setting("PORT", 8080, port),
    dataFolder: setting("PETSTORE_DATA", "./data", anyText("a folder")),
    database: address === undefined ? undefined : { address, ...database },
    environment: served,
    baseUrls: {
      ...(own === undefined ? {} : { [served]: own }),
      ...(production === undefined ? {} : { production }),
      ...(staging === undefined ? {} : { staging }),
    },
    secret: setting("PETSTORE_SECRET", undefined, secret),
    secondFactor: setting("PETSTORE_SECOND_FACTOR", "optional", secondFactor),
    admin: adminPort === undefined ? undefined : { port: adminPort, ...admin },
    metrics: metricsPort === "off" ? undefined : { host: metricsHost, port: metricsPort },
    logLevel: setting("PETSTORE_LOG", "info", logLevel),
    traces: collector === undefined ? undefined : { url: collector, ratio: traceRatio },
    shutdownSecondsMax: setting("PETSTORE_SHUTDOWN_SECONDS", 10, shutdownSeconds),
    processes: setting("PETSTORE_PROCESSES", 1, processes),
    printsFirstKey: setting("PETSTORE_FIRST_KEY", true, onOrOff),
    trustedProxies: setting("PETSTORE_TRUSTED_PROXIES", loopbackNetworks, networks),
    proxyProtocol: setting("PETSTORE_PROXY_PROTOCOL", [], listeners),
    quota: setting("PETSTORE_RATE_LIMIT", undefined, quota),
    eventsDays: setting("PETSTORE_EVENTS_DAYS", 30, days),
    webhookNetworks: setting("PETSTORE_WEBHOOK_NETWORKS", [], networks),
    mail: readMailConfig(setting, complaints, domains?.acme.contact),
    knownCategoriesOnly: setting("PETSTORE_ENFORCE_CATEGORIES", false, onOrOff),
    docsSite: setting("PETSTORE_DOCS_SITE", true, onOrOff),
    roles: setting("PETSTORE_ROLES", roles, rolesOrNone),
    domains,
  };
  if (complaints.length > 0) throw new ConfigError(complaints);
  return config;
}

/** For those who serve, and with it order certificates. Commands need no agreement. */
export function requireTerms({ domains }: Config): void {
  if (domains === undefined || domains.termsAgreed) return;
  const [first, second] = domains.acme.authorities.map(({ name }) => name);
  const whose =
    second === undefined
      ? first
      : `${first}, and of ${second}, which issues while the first one is down or limits you`;
  const alone =
    second === undefined ? "" : " PETSTORE_ACME_FALLBACK=off does without the second authority.";
  throw new ConfigError([
    `Certificates are ordered in your name, under the terms of ${whose}. To agree to them, start with --agree-to-terms or set PETSTORE_ACME_TERMS=agreed.${alone}`,
  ]);
}

function ownBaseUrl({ ownName, edge }: DomainsConfig): string | undefined {
  const port = edge.publicHttpsPort === 443 ? "" : `:${edge.publicHttpsPort}`;
  return ownName && `https://${ownName}${port}/v1`;
}

const collectorAddress = kind(
  "the address of a collector, such as http://127.0.0.1:4318, without user and password",
  (text) => {
    const url = httpUrl(text);
    return url !== undefined && `${url.username}${url.password}` === "" ? text : undefined;
  },
);
const ratio = kind("a number from 0 to 1", (text) => {
  const value = /^[0-9]{1,6}(?:\.[0-9]{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return value >= 0 && value <= 1 ? value : undefined;
});
const secretLengthMin = 32;
const secret = kind(`at least ${secretLengthMin} characters`, (text) =>
  text.length >= secretLengthMin ? text : undefined,
);
const connections = wholeNumber(1, 1000, "a whole number of connections");
const shutdownSeconds = wholeNumber(1, 600, "a whole number of seconds");
const days = wholeNumber(1, 3650, "a whole number of days");
const number = wholeNumber(1, 256);
const processes = kind(`auto, or ${number.accepts}`, (text) =>
  text === "auto" ? text : number.parse(text),
);
const portOrOff = kind(`${port.accepts}, or off`, (text) =>
  text === "off" ? text : port.parse(text),
);
const secondFactor = kind(
  "optional, operator or required",
  oneOf<SecondFactorPolicy>(secondFactorPolicies),
);
const environment = kind("production or staging", oneOf<Environment>(environments));
const levels = [...logLevels, "off"] as const;
const logLevel = kind(`one of ${levels.join(", ")}`, oneOf(levels));
const listeners = listOf(
  `off, or listeners among ${proxiedListeners.join(", ")} with commas between them`,
  oneOf(proxiedListeners),
  "off",
);
const rolesText = "edge, worker, both with a comma between them, or none";
const rolesOrNone = listOf(rolesText, oneOf(roles), "none");
const networks = listOf(
  "none, or addresses and networks such as 192.0.2.1,10.0.0.0/8,fd00::/8 with commas between them",
  networkIn,
  "none",
);

const quotaText = "requests per seconds such as 600/60, each a whole number from 1 to 1000000";
const quota = kind(quotaText, (text): Quota | undefined => {
  const [, requests, seconds] = /^([1-9][0-9]{0,6})\/([1-9][0-9]{0,6})$/.exec(text) ?? [];
  const most = Math.max(Number(requests), Number(seconds));
  return most <= 1_000_000
    ? { requests: Number(requests), windowSeconds: Number(seconds) }
    : undefined;
});

const databaseText =
  "the address of a PostgreSQL database, such as postgres://user:password@db.example.com:5432/petstore; several hosts have a comma between them";
const databaseAddress = kind(databaseText, (text) => {
  const [, scheme, user = "", hosts = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?#\s]*@)?([^/?#@\s]*)([/?][^#\s]*)?$/.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  // Without a host it is a socket of this machine, or the parameters name it.
  const isHost = (each: string) =>
    each === "" || /^(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?$/i.test(each);
  const fits = (each: string) => isHost(each) && URL.canParse(`${scheme}${user}${each}${rest}`);
  return hosts.split(",").every(fits) ? text : undefined;
});

const baseText = "an http or https address that ends in /v1, such as https://api.example.com/v1";
const baseAddress = kind(baseText, (text) => {
  const url = httpUrl(text);
  const bare = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  return bare && url.pathname.endsWith("/v1") ? url.origin + url.pathname : undefined;
});

const originText = "an http or https address without a path, such as https://admin.example.com";
const originAddress = kind(originText, (text) => {
  const origin = httpUrl(text)?.origin;
  return origin === text.toLowerCase().replace(/\/$/, "") ? origin : undefined;
});
