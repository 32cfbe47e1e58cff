/** The API of the dashboard on the stores of a service. */
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Series } from "./http/dashboardApi/recent.ts";
import type { SharedCounts } from "./keys/sharedCounts.ts";
import type { Log } from "./log.ts";
import type { Stores } from "./stores.ts";
import type { HttpRequest, HttpResponse } from "./wire/message.ts";

export interface InternalParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly stores: Stores;
  readonly counts: SharedCounts;
  readonly series: () => Promise<Series>;
  readonly ready: () => Promise<void>;
  readonly leaving: () => boolean;
}

/** Loaded when somebody comes: the list of public suffixes would make every start slower. */
export function internalApi({ config, stores, ...parts }: InternalParts) {
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
