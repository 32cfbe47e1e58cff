/** Everything that `petstore` does, in the order in which the help shows it. */
import type { Command } from "./command.ts";
import { backup, restore } from "./copyCommands.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "./keysCommands.ts";
import { keysUsage } from "./keysUsage.ts";
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
  backup,
  restore,
];

/** The first words of commands that have two: `keys`, `pets`. */
export const groups: readonly string[] = [
  ...new Set(commands.flatMap(({ name }) => (name.includes(" ") ? name.split(" ", 1) : []))),
];
