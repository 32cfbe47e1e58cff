/** The service's own documentation, as files and as a site that the service publishes itself. */
import type { Config } from "../config/config.ts";
import { contractFor } from "../contract/operations.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Environment } from "../petstore/keys/token.ts";
import type { Stores } from "../storage/stores.ts";

interface OwnDocsParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
}

/** The service's documentation as a site of its own: the files by their paths. */
export async function buildDocsSite(
  config: Config,
  { port, baseUrl, signal }: { port: number; baseUrl?: string | undefined; signal?: AbortSignal },
): Promise<ReadonlyMap<string, Uint8Array>> {
  const addresses = publishedAddresses(config, port);
  const contract = contractFor(addresses);
  // On another origin than the API, so its pages need the API's whole address.
  const input = { contract, baseUrl: baseUrl ?? addresses[config.environment], basePath: "/" };
  const { publishDocs } = await import("../docs/published.ts");
  const { files } = await publishDocs(input, signal);
  return new Map([...files].map(([path, { bytes }]) => [path, bytes]));
}

/** Brings the site of the documentation up to date while requests are answered. Returns its end. */
export function keepOwnDocs(
  { config, clock, log }: OwnDocsParts,
  { sites: store }: Stores,
  port: number,
) {
  const ending = new AbortController();
  const { signal } = ending;
  const work = (async () => {
    try {
      const files = await buildDocsSite(config, { port, signal });
      const { deployOwnDocs } = await import("../hosting/sites/publish.ts");
      log.info("docs.synced", { ...(await deployOwnDocs(files, { store, clock, signal })) });
    } catch (cause) {
      if (!signal.aborted) log.error("docs.sync_failed", { cause });
    }
  })();
  return async () => {
    ending.abort();
    await work;
  };
}

/** What the contract's `servers` say where nothing was set: this machine, on the usual ports. */
export function publishedAddresses(
  { baseUrls, environment }: Config,
  port: number,
): Record<Environment, string> {
  const usual = { production: 8080, staging: 8081, [environment]: port };
  return {
    production: baseUrls.production ?? `http://localhost:${usual.production}/v1`,
    staging: baseUrls.staging ?? `http://localhost:${usual.staging}/v1`,
  };
}
