/** The API of the dashboard on the stores of a service. */
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Series } from "../http/recentRequests.ts";
import type { SharedCounts } from "../petstore/keys/rateLimiter.ts";
import type { Stores } from "../storage/stores.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";

export interface PlatformParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly stores: Stores;
  readonly counts: SharedCounts;
  readonly series: () => Promise<Series>;
  readonly ready: () => Promise<void>;
  readonly leaving: () => boolean;
}

/** Loaded at the first request: the list of public suffixes would make every start slower. */
export function platformApi({ config, stores, counts, ...parts }: PlatformParts) {
  const make = async () => {
    const [{ openPlatform }, { DomainService }] = await Promise.all([
      import("../http/platform/platformApi.ts"),
      import("../hosting/domains/domainService.ts"),
    ]);
    const { clock } = parts;
    const domainService = new DomainService({ ...stores, clock, ...domainSettings(config) });
    const { environment } = config;
    const baseUrl = adminBaseUrl(config);
    return openPlatform({ ...parts, stores, counts, domainService, environment, baseUrl }).handle;
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

/** Settings that the domain service needs. */
export function domainSettings({ domains, baseUrls }: Config) {
  const reserved = Object.values(baseUrls).map((address) => new URL(address).hostname);
  return { target: domains?.target, reserved, publicHttpsPort: domains?.edge.publicHttpsPort };
}
