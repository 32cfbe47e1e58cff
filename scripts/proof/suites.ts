/** The suites of `npm run proof`, in the order they run in. */
import type { Suite } from "./suite.ts";
import { clients } from "./suites/clients.ts";
import { json } from "./suites/json.ts";
import { portman } from "./suites/portman.ts";
import { prism } from "./suites/prism.ts";
import { redocly } from "./suites/redocly.ts";
import { schemathesis } from "./suites/schemathesis.ts";
import { specmatic } from "./suites/specmatic.ts";
import { spectral } from "./suites/spectral.ts";

export const suites: readonly Suite[] = [
  specmatic,
  redocly,
  schemathesis,
  spectral,
  json,
  prism,
  portman,
  clients,
];
