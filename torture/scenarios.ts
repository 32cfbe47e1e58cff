/** Every scenario, in the order in which they run. */
import type { Scenario } from "./scenario.ts";
import { clockJumps } from "./scenarios/clockJumps.ts";
import { diskFull } from "./scenarios/diskFull.ts";
import { environments } from "./scenarios/environments.ts";
import { hostileHttp } from "./scenarios/hostileHttp.ts";
import { idleConnections } from "./scenarios/idleConnections.ts";
import { mutatedRequests } from "./scenarios/mutatedRequests.ts";
import { networkStalls } from "./scenarios/networkStalls.ts";
import { postgresFailover } from "./scenarios/postgresFailover.ts";
import { postgresRestart } from "./scenarios/postgresRestart.ts";
import { postgresStalls } from "./scenarios/postgresStalls.ts";
import { powerLoss } from "./scenarios/powerLoss.ts";
import { readOnlyDisk } from "./scenarios/readOnlyDisk.ts";
import { sigkill } from "./scenarios/sigkill.ts";
import { slowClients } from "./scenarios/slowClients.ts";
import { slowDisk } from "./scenarios/slowDisk.ts";
import { twoProcesses } from "./scenarios/twoProcesses.ts";
import { webhooks } from "./scenarios/webhooks.ts";

export const scenarios: readonly Scenario[] = [
  sigkill,
  twoProcesses,
  environments,
  webhooks,
  powerLoss,
  diskFull,
  readOnlyDisk,
  slowDisk,
  clockJumps,
  postgresRestart,
  postgresFailover,
  postgresStalls,
  networkStalls,
  slowClients,
  idleConnections,
  hostileHttp,
  mutatedRequests,
];
