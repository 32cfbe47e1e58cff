import { type ImportedPet, importBatchMax } from "../petstore/catalogue/catalogue.ts";
import type { PetStatus } from "../petstore/catalogue/pet.ts";
import type { Command } from "./command.ts";
import { progressBar } from "./output.ts";
import { readWhole } from "./readText.ts";
import { stopped } from "./stopping.ts";
import { counted, digits } from "./table.ts";
import { withNewStores } from "./withStores.ts";

const countMax = 100_000_000;
const randomSeedMax = 2 ** 32 - 1;

export const seedPets: Command = {
  name: "pets seed",
  summary: "Add generated pets, for development",
  options: {
    "count <number>": "How many, 1 to 100 million (required)",
    "random-seed <number>": "A different seed generates different pets (default 1)",
  },
  about: "The same options generate the same pets. They are added to the existing ones.",
  examples: ["petstore pets seed --count 1000"],
  async run(call, context) {
    const { values } = call;
    const count = readWhole("count", values.get("count"), 1, countMax);
    const randomSeed = readWhole("random-seed", values.get("random-seed") ?? "1", 0, randomSeedMax);
    const progress = progressBar("Seeding", context.stderr, context.clock);
    const nextPet = petMaker(randomSeed);
    const signal = context.stopSignal();
    const { made } = await withNewStores(call, context, async ({ audit, catalogue }) => {
      // The next batch is made while the store writes the one before.
      let storing: Promise<unknown> = Promise.resolve();
      let sent = 0;
      while (sent < count && !signal.aborted) {
        const size = Math.min(importBatchMax, count - sent);
        const batch = Array.from({ length: size }, nextPet);
        await storing;
        progress.update(sent, sent / count);
        storing = catalogue.import(batch);
        sent += size;
      }
      await storing;
      const after = { added: sent };
      await audit.record({ action: "catalogue.seed", subject: "catalogue", after });
      if (sent < count) {
        const stored = `${counted(sent, "pet was", "pets were")} stored, of ${digits(count)}.`;
        throw stopped(signal, stored);
      }
    }).finally(() => progress.clear());
    return {
      json: { added: count, randomSeed, ...made },
      text: `Added ${counted(count, "pet")}.\n`,
    };
  },
};

// biome-ignore format: one word list, not fifty lines
const names = [
  "Bella", "Rex", "Luna", "Max", "Milo", "Nala", "Coco", "Rocky", "Daisy", "Oscar",
  "Simba", "Molly", "Charlie", "Lola", "Buddy", "Cleo", "Felix", "Ginger", "Hazel", "Jasper",
  "Kiwi", "Leo", "Maple", "Nugget", "Olive", "Pepper", "Quincy", "Rosie", "Shadow", "Toby",
];
// biome-ignore format: one word list
const epithets = [
  "", "", "", "", " the Brave", " the Small", " the Loud", " of the Garden", " the Second",
  " Junior", " the Sleepy", " the Quick",
];
// Most pets of a shop are for sale.
// biome-ignore format: one word list
const statuses: readonly PetStatus[] = [
  "available", "available", "available", "available", "available", "pending", "sold", "sold",
];
const categories = 12;

/** Pets in an order that only the seed decides. One draw of 32 bits makes a whole pet. */
export function petMaker(randomSeed: number): () => ImportedPet {
  let state = randomSeed | 0;
  return () => {
    // mulberry32: small, fast, and even enough for pets.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    let draw = (mixed ^ (mixed >>> 14)) >>> 0;
    const upTo = (bound: number) => {
      const drawn = draw % bound;
      draw = Math.floor(draw / bound);
      return drawn;
    };
    const name = `${names[upTo(names.length)]}${epithets[upTo(epithets.length)]}`;
    const status = statuses[upTo(statuses.length)] ?? "available";
    return { name, categoryId: BigInt(1 + upTo(categories)), status };
  };
}
