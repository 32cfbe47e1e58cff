import type { SeededRandom } from "../testkit/seededRandom.ts";

const lettersCount = 40;
const letters = [..."abcdefgh23456789"];

/** A word that nobody else would write, and that an address can hold: for secrets and passwords. */
export function wordOf(random: SeededRandom): string {
  return Array.from({ length: lettersCount }, () => random.oneOf(letters)).join("");
}
