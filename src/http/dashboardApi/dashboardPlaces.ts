/** What the dashboard asks for beside domains and sessions, as places of its API. */
import type { Clock } from "../../clock.ts";
import type { Environment } from "../../keys/token.ts";
import type { MaybePromise } from "../../maybePromise.ts";
import type { Stores } from "../../stores.ts";
import type { Places } from "../internal/places.ts";
import { keyPlaces } from "./keys.ts";
import { overviewPlaces } from "./overview.ts";
import { ownerPlaces } from "./owners.ts";
import { projectPlaces } from "./projects.ts";
import type { Series } from "./recent.ts";

export interface DashboardPlacesParts {
  readonly stores: Pick<Stores, "sites" | "uploads" | "domains" | "keys">;
  readonly environment: Environment;
  readonly series: () => MaybePromise<Series>;
  readonly ready: () => Promise<void>;
  readonly clock: Clock;
}

export function dashboardPlaces(parts: DashboardPlacesParts): Places {
  const { stores, clock, environment, series, ready } = parts;
  return {
    ...projectPlaces({ ...stores, clock }),
    ...keyPlaces({ keys: stores.keys, environment, clock }),
    ...ownerPlaces(stores.sites),
    ...overviewPlaces({ ...stores, series, ready, clock }),
  };
}
