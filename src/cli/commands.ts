/** Everything that `petstore` does, in the order in which the help shows it. */
import { addCategory, listCategories, removeCategory } from "./categoriesCommands.ts";
import { check } from "./checkCommand.ts";
import type { Command } from "./command.ts";
import { buildDocsSite } from "./docsCommand.ts";
import { addDomain, listDomains, removeDomain, showDomain } from "./domainsCommands.ts";
import { makePrimary, redirectDomain, routeDomains } from "./domainsRouting.ts";
import { verifyDomain } from "./domainsVerify.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "./keysCommands.ts";
import { keysUsage } from "./keysUsage.ts";
import { approveOrder, deliverOrder, listOrders, showOrder } from "./ordersCommands.ts";
import {
  addOwner,
  changePlan,
  createAccessToken,
  inviteOwner,
  listAccessTokens,
  listOwners,
  revokeAccessToken,
} from "./ownersCommands.ts";
import { exportPets } from "./petsExport.ts";
import { importPets } from "./petsImport.ts";
import { seedPets } from "./petsSeed.ts";
import { healthcheck, reload, serve } from "./serviceCommands.ts";
import {
  createSite,
  listDeployments,
  listSites,
  rollBackSite,
  showSite,
  unpublishSite,
} from "./sitesCommands.ts";
import { deploySite } from "./sitesDeploy.ts";
import { backup, migrate, restore } from "./storeCommands.ts";

export const commands: readonly Command[] = [
  serve,
  reload,
  createKey,
  listKeys,
  rotateKey,
  revokeKey,
  keysUsage,
  seedPets,
  importPets,
  exportPets,
  listCategories,
  addCategory,
  removeCategory,
  listOrders,
  showOrder,
  approveOrder,
  deliverOrder,
  addOwner,
  listOwners,
  changePlan,
  inviteOwner,
  createAccessToken,
  listAccessTokens,
  revokeAccessToken,
  createSite,
  listSites,
  showSite,
  deploySite,
  listDeployments,
  rollBackSite,
  unpublishSite,
  buildDocsSite,
  addDomain,
  listDomains,
  showDomain,
  verifyDomain,
  routeDomains,
  makePrimary,
  redirectDomain,
  removeDomain,
  backup,
  restore,
  migrate,
  healthcheck,
  check,
];

/** The first words of commands that have two: `keys`, `orders`. */
export const groups: readonly string[] = [
  ...new Set(commands.flatMap(({ name }) => (name.includes(" ") ? name.split(" ", 1) : []))),
];
