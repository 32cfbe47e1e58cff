/** The suites of `npm run proof`, in the order they run in. */
import type { Suite } from "./suite.ts";
import { redocly } from "./suites/redocly.ts";
import { specmatic } from "./suites/specmatic.ts";

export const suites: readonly Suite[] = [specmatic, redocly];
