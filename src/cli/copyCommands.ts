/** Copying the whole store out, and a copy back in. */
import type { Stores } from "../stores.ts";
import type { Command } from "./command.ts";
import { bytesText, counted } from "./table.ts";
import { withStores } from "./withStores.ts";
import { CommandFailure } from "./world.ts";

/** Counting further would take long and change nobody's mind. */
const petsCountedMax = 100_000;
const petsPage = 10_000;

export const backup: Command = {
  name: "backup",
  summary: "Copy the store into a new file while it is in use",
  operand: { shown: "<file>", summary: "The file to write; it must not be there yet" },
  options: {},
  about: "The copy holds every pet and every key (hashed). Keep it where nobody else reads it.",
  examples: ["petstore backup petstore-2030-01-31.db"],
  async run({ operand: file }, world) {
    const copy = await world.backup(file);
    return {
      json: { file, bytes: copy.bytes, pets: copy.pets, keys: copy.keys },
      text: `Copied ${holdings(copy.pets, copy.keys)} to ${file} (${bytesText(copy.bytes)}).\n`,
    };
  },
};

export const restore: Command = {
  name: "restore",
  summary: "Replace everything in the store by what a backup holds",
  operand: { shown: "<file>", summary: "A file that petstore backup wrote" },
  options: { yes: { summary: "Replace what the store holds now" } },
  about:
    "Works while the service runs, in one step: either all of the backup is in place or nothing\nchanged. Pets and keys added after the backup was made are gone afterwards.",
  examples: ["petstore restore petstore-2030-01-31.db --yes"],
  async run({ operand: file, switches }, world) {
    const now = await withStores(world, countHoldings);
    const held = now.pets > 0 || now.keys > 0;
    const replaced = `${now.more ? "more than " : ""}${holdings(now.pets, now.keys)}`;
    if (held && !switches.has("yes")) {
      throw new CommandFailure(
        `The store holds ${replaced}. Restoring ${file} would replace all of it, and nothing was changed. Keep a copy with petstore backup <file>, then run this again with --yes.`,
      );
    }
    const copy = await world.restore(file);
    const instead = held ? `, in place of ${replaced}` : "";
    return {
      json: { file, bytes: copy.bytes, pets: copy.pets, keys: copy.keys },
      text: `Restored ${holdings(copy.pets, copy.keys)} from ${file}${instead}.\n`,
    };
  },
};

async function countHoldings({ catalogue, keys }: Stores) {
  let pets = 0;
  let after: bigint | undefined;
  do {
    const page = await catalogue.list({ after, limit: petsPage });
    pets += page.pets.length;
    after = page.next;
  } while (after !== undefined && pets < petsCountedMax);
  return { pets, more: after !== undefined, keys: (await keys.list()).length };
}

function holdings(pets: number, keys: number): string {
  return `${counted(pets, "pet")} and ${counted(keys, "key")}`;
}
