import { type ImportedPet, importBatchMax } from "../catalogue/catalogue.ts";
import type { PetStatus } from "../catalogue/pet.ts";
import type { Command } from "./command.ts";
import { Progress } from "./progress.ts";
import { counted } from "./table.ts";
import { withStores } from "./withStores.ts";
import { CommandFailure } from "./world.ts";

const countMax = 100_000_000;
const randomSeedMax = 2 ** 32 - 1;

export const seedPets: Command = {
  name: "pets seed",
  summary: "Add made-up pets, for trying things out",
  options: {
    count: { value: "<number>", summary: "How many, 1 to 100 million (required)" },
    "random-seed": { value: "<number>", summary: "Another number makes other pets (default 1)" },
  },
  about: "The same numbers make the same pets. They are added to what is there already.",
  examples: ["petstore pets seed --count 1000"],
  async run({ values }, world) {
    const count = readWhole("count", values.get("count"), 1, countMax);
    const randomSeed = readWhole("random-seed", values.get("random-seed") ?? "1", 0, randomSeedMax);
    const progress = new Progress("Seeding", world.stderr, world.clock);
    const nextPet = petMaker(randomSeed);
    await withStores(world, async ({ catalogue }) => {
      // The next batch is made while the store writes the one before.
      let storing: Promise<unknown> = Promise.resolve();
      for (let made = 0; made < count; ) {
        const size = Math.min(importBatchMax, count - made);
        const batch = Array.from({ length: size }, nextPet);
        await storing;
        progress.update(made, made / count);
        storing = catalogue.import(batch);
        made += size;
      }
      await storing;
    }).finally(() => progress.clear());
    return { json: { added: count, randomSeed }, text: `Added ${counted(count, "pet")}.\n` };
  },
};

function readWhole(option: string, text: string | undefined, min: number, max: number): number {
  const number = text !== undefined && /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  const missing = text === undefined ? "is missing; it " : "";
  throw new CommandFailure(
    `--${option} ${missing}must be a whole number from ${min} to ${max}.`,
    2,
  );
}

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
// Most animals of a shop are for sale.
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
