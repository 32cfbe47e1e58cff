import type { Chance } from "../testkit/seededRandom.ts";

const lettersCount = 40;
const letters = [..."abcdefgh23456789"];

/** A word that nobody else would write, and that an address can hold: for secrets and passwords. */
export function wordOf(chance: Chance): string {
  return Array.from({ length: lettersCount }, () => chance.oneOf(letters)).join("");
}
