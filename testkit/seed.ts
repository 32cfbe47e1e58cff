/**
 * Where the random runs of the tests begin: the same in every run, so that a failure has to do with
 * the change at hand. PETSTORE_TEST_SEED=random draws another, and PETSTORE_TEST_SEED=N repeats one.
 */
const seedDefault = 20_251;
const seedMax = 2 ** 31 - 1;

export function readSeed(given: string | undefined): number {
  if (given === undefined) return seedDefault;
  if (given === "random") return Math.floor(Math.random() * seedMax);
  if (/^\d{1,10}$/.test(given) && Number(given) <= seedMax) return Number(given);
  throw new Error(`PETSTORE_TEST_SEED is ${given}, and must be random or at most ${seedMax}.`);
}

export const testSeed = readSeed(process.env["PETSTORE_TEST_SEED"]);
