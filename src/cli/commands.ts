/** Everything that `petstore` does, in the order in which the help shows it. */
import { addCategory, listCategories, removeCategory } from "./categoriesCommands.ts";
import { check } from "./checkCommand.ts";
import type { Command } from "./command.ts";
import { backup, restore } from "./copyCommands.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "./keysCommands.ts";
import { keysUsage } from "./keysUsage.ts";
import { approveOrder, deliverOrder, listOrders, showOrder } from "./ordersCommands.ts";
import { exportPets } from "./petsExport.ts";
import { importPets } from "./petsImport.ts";
import { seedPets } from "./petsSeed.ts";
import { serve } from "./serveCommand.ts";

export const commands: readonly Command[] = [
  serve,
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
  backup,
  restore,
  check,
];

/** The first words of commands that have two: `keys`, `orders`. */
export const groups: readonly string[] = [
  ...new Set(commands.flatMap(({ name }) => (name.includes(" ") ? name.split(" ", 1) : []))),
];
