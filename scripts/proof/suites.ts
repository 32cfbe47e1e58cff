/** The suites of `npm run proof`, in the order they run in. */
import type { Suite } from "./suite.ts";
import { clients } from "./suites/clients.ts";
import { http11 } from "./suites/http11.ts";
import { json } from "./suites/json.ts";
import { portman } from "./suites/portman.ts";
import { prism } from "./suites/prism.ts";
import { redbot } from "./suites/redbot.ts";
import { redocly } from "./suites/redocly.ts";
import { schemathesis } from "./suites/schemathesis.ts";
import { specmatic } from "./suites/specmatic.ts";
import { spectral } from "./suites/spectral.ts";
import { sslyze } from "./suites/sslyze.ts";
import { testssl } from "./suites/testssl.ts";
import { webhooks } from "./suites/webhooks.ts";

export const suites: readonly Suite[] = [
  specmatic,
  redocly,
  schemathesis,
  spectral,
  json,
  webhooks,
  prism,
  portman,
  clients,
  sslyze,
  testssl,
  redbot,
  http11,
];
