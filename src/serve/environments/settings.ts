/** The settings of each environment that one command serves, from those that the command was given. */
import { type Config, ConfigError, readConfig, requireTerms } from "../../config/config.ts";
import type { Variables } from "../../config/settings.ts";
import { type Environment, environments as known } from "../../petstore/keys/token.ts";

export interface EnvironmentPlan {
  readonly environment: Environment;
  readonly variables: Variables;
  readonly config: Config;
}

/** Without the prefix in the settings of one environment. */
const unprefixed = ["PORT", "HOST", "DATABASE_URL"];
/** Each has its own: one for both would let the keys of one open the other. */
const neverShared = ["DATABASE_URL", "PETSTORE_SECRET"];
const listed = ["PETSTORE_DOMAIN", "PETSTORE_SITES_HOST"];

const noProxy =
  "PETSTORE_PROXY_PROTOCOL cannot be edge with PETSTORE_ENVIRONMENTS: the front door of both is connected to by clients alone. Remove it, or serve the environments separately.";

type Plans = readonly [EnvironmentPlan, ...EnvironmentPlan[]];

/** Throws a `ConfigError` with everything that is wrong. */
export function planEnvironments(variables: Variables): Plans {
  const text = variables["PETSTORE_ENVIRONMENTS"] ?? "";
  const names = namesIn(variables);
  const wanted = known.filter((name) => names.includes(name));
  if (wanted.length === 0 || wanted.length !== names.length) {
    throw new ConfigError([
      `PETSTORE_ENVIRONMENTS must be ${known.join(" and ")} with a comma between them, or one of them; "${text}" is not.`,
    ]);
  }
  const complaints: string[] = [];
  const plans = names.flatMap((name, index): EnvironmentPlan[] => {
    const environment = name as Environment;
    try {
      const own = variablesOf(environment, index, variables);
      const config = readConfig(own);
      requireTerms(config);
      if (config.domains && config.proxyProtocol.includes("edge")) throw new ConfigError([noProxy]);
      return [{ environment, variables: own, config }];
    } catch (cause) {
      if (!(cause instanceof ConfigError)) throw cause;
      complaints.push(...cause.message.split("\n").map((line) => `${environment}: ${line}`));
      return [];
    }
  });
  const domains = (variables["PETSTORE_DOMAIN"] ?? "").split(",").map((name) => name.trim());
  if (domains[0] !== "" && new Set(domains).size !== names.length) {
    complaints.push(
      `PETSTORE_DOMAIN must have a name for each environment, ${names.join(" and ")}, with commas between them; "${variables["PETSTORE_DOMAIN"]}" has not.`,
    );
  }
  const [first, ...others] = plans;
  if (first === undefined || complaints.length > 0) throw new ConfigError([...new Set(complaints)]);
  return [withOthers(first, others), ...others.map((each) => withOthers(each, [first]))];
}

/** The one whose own name a host is, or the nearest whose sites it is below; undefined for neither. */
export function planOf(host: string | undefined, plans: readonly EnvironmentPlan[]) {
  const nearness = ({ config: { domains } }: EnvironmentPlan): number => {
    if (host === undefined || domains === undefined) return 0;
    if (host === domains.ownName) return host.length + 1;
    const sitesHost = domains.sites?.host;
    return sitesHost && `.${host}`.endsWith(`.${sitesHost}`) ? sitesHost.length : 0;
  };
  const [nearest] = plans.toSorted((a, b) => nearness(b) - nearness(a));
  return nearest && nearness(nearest) > 0 ? nearest : undefined;
}

/** Those that a command goes by, where they are of several environments: `PETSTORE_ENV` says of which. */
export function variablesOfOne(variables: Variables): Variables {
  if (!variables["PETSTORE_ENVIRONMENTS"]) return variables;
  const names = namesIn(variables);
  const index = names.indexOf(variables["PETSTORE_ENV"] || "production");
  return index < 0 ? variables : variablesOf(names[index] as Environment, index, variables);
}

/** Those that the service of an environment is running with, and reloads. */
export function variablesOfService(variables: Variables, environment: Environment): Variables {
  if (!variables["PETSTORE_ENVIRONMENTS"]) return variables;
  const plan = planEnvironments(variables).find((each) => each.environment === environment);
  return plan === undefined ? variables : behindDoor(plan);
}

/** Its edge is reached by the front door alone, which says who the client is. */
export function behindDoor({ config, variables }: EnvironmentPlan): Variables {
  const { domains, proxyProtocol } = config;
  if (domains === undefined) return variables;
  const { PETSTORE_TRUSTED_PROXIES: trusted = "none" } = variables;
  return {
    ...variables,
    PETSTORE_EDGE_HOST: "127.0.0.1",
    PETSTORE_EDGE_ADDRESS: "127.0.0.1",
    PETSTORE_EDGE_HTTP_PORT: "0",
    PETSTORE_EDGE_HTTPS_PORT: "0",
    PETSTORE_EDGE_PUBLIC_HTTPS_PORT: String(domains.edge.publicHttpsPort),
    PETSTORE_PROXY_PROTOCOL: [...new Set([...proxyProtocol, "edge"])].join(","),
    PETSTORE_TRUSTED_PROXIES: [trusted, "127.0.0.1"].filter((each) => each !== "none").join(","),
  };
}

function namesIn({ PETSTORE_ENVIRONMENTS: text = "" }: Variables): string[] {
  return text.split(",").map((name) => name.trim());
}

/** Their contracts name the addresses of all. */
function withOthers(plan: EnvironmentPlan, others: readonly EnvironmentPlan[]): EnvironmentPlan {
  const addresses = others.map(({ environment, config: { baseUrls, port } }) => [
    environment === "production" ? "PETSTORE_BASE_URL" : "PETSTORE_STAGING_BASE_URL",
    baseUrls[environment] ?? (port > 0 ? `http://localhost:${port}/v1` : undefined),
  ]);
  const variables = { ...Object.fromEntries(addresses), ...plan.variables };
  return { ...plan, variables };
}

function variablesOf(environment: Environment, index: number, shared: Variables): Variables {
  const { PETSTORE_ENVIRONMENTS: _, ...all } = shared;
  const forAll = Object.entries(all).filter(([name]) => !isOfOne(name));
  const own: Record<string, string | undefined> = {
    ...Object.fromEntries(forAll),
    PETSTORE_ENV: environment,
  };
  for (const name of listed) own[name] = all[name]?.split(",")[index]?.trim();
  if (index > 0) {
    for (const name of neverShared) own[name] = undefined;
    own["PORT"] = raised(all["PORT"] ?? "8080", index);
    own["PETSTORE_METRICS_PORT"] = raised(all["PETSTORE_METRICS_PORT"] ?? "9464", index);
    own["PETSTORE_ADMIN_PORT"] = raised(all["PETSTORE_ADMIN_PORT"], index);
  }
  const prefix = `PETSTORE_${environment.toUpperCase()}_`;
  for (const [name, value] of Object.entries(all)) {
    if (!name.startsWith(prefix) || !isOfOne(name)) continue;
    const rest = name.slice(prefix.length);
    own[unprefixed.includes(rest) ? rest : `PETSTORE_${rest}`] = value;
  }
  if (shared["DATABASE_URL"] && !own["DATABASE_URL"]) {
    throw new ConfigError([
      `${prefix}DATABASE_URL must be set where DATABASE_URL is: each environment has a database of its own.`,
    ]);
  }
  return own;
}

/** Among them are secrets, which the other has no use for. */
function isOfOne(name: string): boolean {
  // This one has its meaning in either environment.
  if (name === "PETSTORE_STAGING_BASE_URL") return false;
  return known.some((each) => name.startsWith(`PETSTORE_${each.toUpperCase()}_`));
}

/** The next port after those of the environments before; 0 and "off" stay what they are. */
function raised(port: string | undefined, by: number): string | undefined {
  const number = Number(port);
  return Number.isInteger(number) && number > 0 ? String(number + by) : port;
}
