import type { SeededRandom } from "../testkit/seededRandom.ts";

const lettersCount = 40;
const letters = [..."abcdefgh23456789"];

/** A unique word that is valid in a URL, for secrets and passwords. */
export function randomWord(random: SeededRandom): string {
  return Array.from({ length: lettersCount }, () => random.oneOf(letters)).join("");
}
