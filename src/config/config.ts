/** The settings, read from the environment once. What cannot be understood is named, all at once. */
import { type LogLevel, logLevels } from "../core/log.ts";
import type { Quota } from "../petstore/keys/rateLimiter.ts";
import type { Environment } from "../petstore/keys/token.ts";
import { loopbackNetworks, type Network, networkIn } from "../wire/trustedProxies.ts";
import { type DomainsConfig, readDomainsConfig } from "./domainsConfig.ts";
import {
  host,
  onOrOff,
  port,
  portText,
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
  /** Where the dashboard and its API are; undefined where they are on the port of the service. */
  readonly admin: AdminConfig | undefined;
  /** Undefined where metrics are off. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly logLevel: LogLevel | "off";
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

export const secretLengthMin = 32;
const processesMax = 256;

export function readConfig(variables: Variables): Config {
  const { setting, complaints } = settingsOf(variables);
  const addressText =
    "an http or https address that ends in /v1, such as https://api.example.com/v1";

  const metricsPort = setting("PETSTORE_METRICS_PORT", 9464, `${portText}, or off`, (text) =>
    text === "off" ? ("off" as const) : port(text),
  );
  const metricsHost = setting("PETSTORE_METRICS_HOST", "127.0.0.1", "a host name or address", host);
  const adminPort = setting("PETSTORE_ADMIN_PORT", undefined, portText, port);
  const adminHost = setting("PETSTORE_ADMIN_HOST", "127.0.0.1", "a host name or address", host);
  const adminUrl = setting(
    "PETSTORE_ADMIN_URL",
    undefined,
    "an http or https address without a path, such as https://admin.example.com",
    originAddress,
  );
  const production = setting("PETSTORE_BASE_URL", undefined, addressText, baseAddress);
  const staging = setting("PETSTORE_STAGING_BASE_URL", undefined, addressText, baseAddress);
  const database = setting("DATABASE_URL", undefined, databaseText, databaseAddress);
  const connectionsMax = setting(
    "PETSTORE_DATABASE_POOL",
    10,
    "a whole number of connections from 1 to 1000",
    wholeNumber(1, 1000),
  );
  const namedStatements = setting("PETSTORE_DATABASE_PREPARE", false, "on or off", onOrOff);

  const listensOn = setting("HOST", "127.0.0.1", "a host name or address to listen on", host);
  const config: Config = {
    host: listensOn,
    port: setting("PORT", 8080, portText, port),
    dataFolder: setting("PETSTORE_DATA", "./data", "a folder", (text) => text),
    database:
      database === undefined ? undefined : { address: database, connectionsMax, namedStatements },
    environment: setting("PETSTORE_ENV", "production", "production or staging", (text) =>
      text === "production" || text === "staging" ? text : undefined,
    ),
    baseUrls: {
      ...(production === undefined ? {} : { production }),
      ...(staging === undefined ? {} : { staging }),
    },
    secret: setting(
      "PETSTORE_SECRET",
      undefined,
      `at least ${secretLengthMin} characters`,
      (text) => (text.length >= secretLengthMin ? text : undefined),
    ),
    admin:
      adminPort === undefined ? undefined : { host: adminHost, port: adminPort, url: adminUrl },
    metrics: metricsPort === "off" ? undefined : { host: metricsHost, port: metricsPort },
    logLevel: setting(
      "PETSTORE_LOG",
      "info",
      `one of ${[...logLevels, "off"].join(", ")}`,
      (text) => [...logLevels, "off" as const].find((level) => level === text),
    ),
    shutdownSecondsMax: setting(
      "PETSTORE_SHUTDOWN_SECONDS",
      10,
      "a whole number of seconds from 1 to 600",
      wholeNumber(1, 600),
    ),
    processes: setting(
      "PETSTORE_PROCESSES",
      1,
      `auto, or a whole number from 1 to ${processesMax}`,
      (text) => (text === "auto" ? text : wholeNumber(1, processesMax)(text)),
    ),
    printsFirstKey: setting("PETSTORE_FIRST_KEY", true, "on or off", onOrOff),
    trustedProxies: setting("PETSTORE_TRUSTED_PROXIES", loopbackNetworks, networksText, networks),
    proxyProtocol: setting(
      "PETSTORE_PROXY_PROTOCOL",
      [],
      `off, or listeners among ${proxiedListeners.join(", ")} with commas between them`,
      (text) => (text === "off" ? [] : amongAll(proxiedListeners, text)),
    ),
    quota: setting("PETSTORE_RATE_LIMIT", undefined, quotaText, quota),
    knownCategoriesOnly: setting("PETSTORE_ENFORCE_CATEGORIES", false, "on or off", onOrOff),
    docsSite: setting("PETSTORE_DOCS_SITE", true, "on or off", onOrOff),
    roles: setting(
      "PETSTORE_ROLES",
      roles,
      "edge, worker, both with a comma between them, or none",
      (text) => (text === "none" ? [] : amongAll(roles, text)),
    ),
    domains: readDomainsConfig(setting, complaints, listensOn),
  };
  if (complaints.length > 0) throw new ConfigError(complaints);
  return config;
}

const networksText =
  "none, or addresses and networks such as 192.0.2.1,10.0.0.0/8,fd00::/8 with commas between them";

function networks(text: string): readonly Network[] | undefined {
  if (text === "none") return [];
  const read = text.split(",").map((each) => networkIn(each.trim()));
  return read.every((each) => each !== undefined) ? read : undefined;
}

const quotaText = "requests per seconds such as 600/60, each a whole number from 1 to 1000000";

function quota(text: string): Quota | undefined {
  const [, requests, seconds] = /^([1-9][0-9]{0,6})\/([1-9][0-9]{0,6})$/.exec(text) ?? [];
  const most = Math.max(Number(requests), Number(seconds));
  return most <= 1_000_000
    ? { requests: Number(requests), windowSeconds: Number(seconds) }
    : undefined;
}

const databaseText =
  "the address of a PostgreSQL database, such as postgres://user:password@db.example.com:5432/petstore; several hosts have a comma between them";

function databaseAddress(text: string): string | undefined {
  const [, scheme, user = "", hosts = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?#\s]*@)?([^/?#@\s]*)([/?][^#\s]*)?$/.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  // Without a host it is a socket of this machine, or the parameters name it.
  const isHost = (each: string) =>
    each === "" || /^(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?$/i.test(each);
  const fits = (each: string) => isHost(each) && URL.canParse(`${scheme}${user}${each}${rest}`);
  return hosts.split(",").every(fits) ? text : undefined;
}

function amongAll<Name extends string>(
  all: readonly Name[],
  text: string,
): readonly Name[] | undefined {
  const named = text.split(",").map((each) => all.find((name) => name === each.trim()));
  return named.every((name) => name !== undefined) ? named : undefined;
}

function baseAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return undefined;
  const bare = url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  return bare && url.pathname.endsWith("/v1") ? url.origin + url.pathname : undefined;
}

function originAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url?.origin === text.toLowerCase().replace(/\/$/, "");
  return isOrigin && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** Says which setting keeps the service from starting. */
export class StartError extends Error {
  constructor(message: string, options: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
  }
}
