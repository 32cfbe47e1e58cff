/** The pets and pages that every contestant is asked for: drawn once, from a fixed seed. */
import type { PetStatus } from "../src/petstore/catalogue/pet.ts";

export interface Sample {
  /** How many pets are stored before the run; their ids run from 1 to here. */
  readonly pets: number;
  readonly ids: readonly number[];
  /** Pages continue after these ids. */
  readonly depths: readonly number[];
  readonly statuses: readonly PetStatus[];
}

const idsMax = 10_000;
const depthsMax = 1_000;
const pageSize = 20;
const randomSeed = 2026;

export function drawSample(pets: number, depths = depthsMax): Sample {
  const draw = drawing(randomSeed);
  const upTo = (bound: number) => 1 + Math.floor(draw() * bound);
  const distinct = (count: number, bound: number) => {
    const drawn = new Set<number>();
    while (drawn.size < Math.min(count, bound)) drawn.add(upTo(bound));
    return [...drawn];
  };
  return {
    pets,
    ids: distinct(idsMax, pets),
    // Every page is full and has another after it.
    depths: distinct(depths, Math.max(1, pets - 2 * pageSize)),
    statuses: ["available", "pending", "sold"],
  };
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function drawing(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
