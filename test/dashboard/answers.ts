/**
 * What the page believes of the service's answers, held against what the service gives. There is
 * nothing to run: the compiler refuses this file when the two differ, and `npm test` asks it.
 */
import type * as shown from "../../src/dashboard/browser/answers.ts";
import type { DomainDetails } from "../../src/domains/domainView.ts";
import type { InJson } from "../../src/domains/inJson.ts";

/** Compiles only where every value of the one may stand where the other is expected. */
type Fits<Given extends Wanted, Wanted> = Given;

export type Agreed = [Fits<InJson<DomainDetails>, shown.DomainDetails>];
