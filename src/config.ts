/** The settings, read from the environment once. What cannot be understood is named, all at once. */
import type { Quota } from "./keys/rateLimiter.ts";
import type { Environment } from "./keys/token.ts";
import { type LogLevel, logLevels } from "./log.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly environment: Environment;
  /** The addresses that were set; an unset one follows from what is known when it is needed. */
  readonly baseUrls: Readonly<Partial<Record<Environment, string>>>;
  readonly secret: string | undefined;
  /** Undefined where metrics are off. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly logLevel: LogLevel | "off";
  readonly shutdownSecondsMax: number;
  /** What each key may ask for; undefined where requests are not limited. */
  readonly quota: Quota | undefined;
  /** Whether a pet's category must be among the categories. */
  readonly knownCategoriesOnly: boolean;
}

/** Says every setting that is wrong, what it was and what it accepts. */
export class ConfigError extends Error {
  constructor(complaints: readonly string[]) {
    super(complaints.join("\n"));
    this.name = "ConfigError";
  }
}

type Variables = Readonly<Record<string, string | undefined>>;
type Parse<T> = (text: string) => T | undefined;

export const secretLengthMin = 32;

export function readConfig(variables: Variables): Config {
  const complaints: string[] = [];

  function setting<T, U>(name: string, otherwise: U, accepts: string, parse: Parse<T>): T | U {
    const text = variables[name];
    if (text === undefined || text === "") return otherwise;
    const value = parse(text);
    if (value !== undefined) return value;
    // A secret is not repeated, not even to the person who set it: terminals and logs remember.
    const secret = name === "PETSTORE_SECRET" || name === "DATABASE_URL";
    complaints.push(`${name} must be ${accepts}${secret ? "." : `; "${text}" is not.`}`);
    return otherwise;
  }

  const wholeNumber = (min: number, max: number) => (text: string) => {
    const value = /^[0-9]{1,6}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
  const portText = "a port number from 0 to 65535 (0 picks a free one)";
  const addressText =
    "an http or https address that ends in /v1, such as https://api.example.com/v1";

  const metricsPort = setting("PETSTORE_METRICS_PORT", 9464, `${portText}, or off`, (text) =>
    text === "off" ? ("off" as const) : wholeNumber(0, 65535)(text),
  );
  const metricsHost = setting("PETSTORE_METRICS_HOST", "127.0.0.1", "a host name or address", host);
  const production = setting("PETSTORE_BASE_URL", undefined, addressText, baseAddress);
  const staging = setting("PETSTORE_STAGING_BASE_URL", undefined, addressText, baseAddress);
  setting(
    "DATABASE_URL",
    undefined,
    "left unset, because this version keeps its data in SQLite only",
    () => undefined,
  );

  const config: Config = {
    host: setting("HOST", "127.0.0.1", "a host name or address to listen on", host),
    port: setting("PORT", 8080, portText, wholeNumber(0, 65535)),
    dataFolder: setting("PETSTORE_DATA", "./data", "a folder", (text) => text),
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
    quota: setting("PETSTORE_RATE_LIMIT", undefined, quotaText, quota),
    knownCategoriesOnly: setting("PETSTORE_ENFORCE_CATEGORIES", false, "on or off", (text) =>
      text === "on" ? true : text === "off" ? false : undefined,
    ),
  };
  if (complaints.length > 0) throw new ConfigError(complaints);
  return config;
}

const quotaText = "requests per seconds such as 600/60, each a whole number from 1 to 1000000";

function quota(text: string): Quota | undefined {
  const [, requests, seconds] = /^([1-9][0-9]{0,6})\/([1-9][0-9]{0,6})$/.exec(text) ?? [];
  const most = Math.max(Number(requests), Number(seconds));
  return most <= 1_000_000
    ? { requests: Number(requests), windowSeconds: Number(seconds) }
    : undefined;
}

function host(text: string): string | undefined {
  return /^[\w.:-]+$/.test(text) ? text : undefined;
}

function baseAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return undefined;
  const bare = url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  return bare && url.pathname.endsWith("/v1") ? url.origin + url.pathname : undefined;
}
