/** Everything that can be wrong with the reference, one thing at a time. */
import { faultsOfAnswers } from "./faultsOfAnswers.ts";
import { faultsOfBodies } from "./faultsOfBodies.ts";
import { faultsOfCategories } from "./faultsOfCategories.ts";
import { faultsOfEvents } from "./faultsOfEvents.ts";
import { faultsOfFields } from "./faultsOfFields.ts";
import { faultsOfFilters } from "./faultsOfFilters.ts";
import { faultsOfQueries } from "./faultsOfQueries.ts";
import { faultsOfRequests } from "./faultsOfRequests.ts";
import { faultsOfRules } from "./faultsOfRules.ts";
import { faultsOfUpdates } from "./faultsOfUpdates.ts";
import type { Fault } from "./referenceService.ts";

/** A fault and the checks that find it: these and no others. */
export interface Caught extends Fault {
  readonly caughtBy: readonly string[];
  /** Set where a fault spoils so much that naming every check would say nothing. */
  readonly andMore?: boolean;
}

export const faults: readonly Caught[] = [
  ...[faultsOfQueries, faultsOfFilters, faultsOfBodies, faultsOfRequests],
  ...[faultsOfAnswers, faultsOfFields, faultsOfRules, faultsOfUpdates, faultsOfCategories],
  ...[faultsOfEvents],
].flat();
