/** Everything that `petstore` does, in the order in which the help shows it. */
import { accountsCommands } from "./accountsCommands.ts";
import { auditCommands } from "./auditCommands.ts";
import { categoriesCommands } from "./categoriesCommands.ts";
import { check } from "./checkCommand.ts";
import type { Command } from "./command.ts";
import { buildDocsSite } from "./docsCommand.ts";
import { doctor } from "./doctorCommand.ts";
import { domainsCommands } from "./domainsCommands.ts";
import { listEvents } from "./eventsCommand.ts";
import { keysCommands } from "./keysCommands.ts";
import { mailCommands } from "./mailCommands.ts";
import { ordersCommands } from "./ordersCommands.ts";
import { ownersCommands } from "./ownersCommands.ts";
import { petsCommands } from "./petsCommands.ts";
import { exportPets } from "./petsExport.ts";
import { importPets } from "./petsImport.ts";
import { seedPets } from "./petsSeed.ts";
import { loginCommands } from "./remote/loginCommands.ts";
import { healthcheck, reload, serve } from "./serviceCommands.ts";
import * as sites from "./sitesCommands.ts";
import { deploy, deploySite } from "./sitesDeploy.ts";
import { backup, migrate, restore } from "./storeCommands.ts";
import { webhooksCommands } from "./webhooksCommands.ts";

export const commands: readonly Command[] = [
  ...[serve, reload, doctor],
  ...keysCommands,
  ...petsCommands,
  ...[seedPets, importPets, exportPets],
  ...categoriesCommands,
  ...ordersCommands,
  listEvents,
  ...webhooksCommands,
  ...mailCommands,
  ...ownersCommands,
  ...accountsCommands,
  ...[deploy, ...loginCommands],
  ...[sites.createSite, sites.listSites, sites.showSite, deploySite],
  ...[sites.listDeployments, sites.publishSite, sites.rollBackSite, sites.unpublishSite],
  buildDocsSite,
  ...domainsCommands,
  ...auditCommands,
  ...[backup, restore, migrate, healthcheck, check],
];

/** The first words of commands that have two: `keys`, `orders`. */
export const groups: readonly string[] = [
  ...new Set(commands.flatMap(({ name }) => (name.includes(" ") ? name.split(" ", 1) : []))),
];
