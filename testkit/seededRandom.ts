/** A pseudorandom generator: the same seed gives the same values, in the same order. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An independent stream, so that more draws in one place change nothing in another. */
  fork(name: string): SeededRandom {
    let hash = this.#state ^ 0x9e3779b9;
    for (let at = 0; at < name.length; at++) {
      hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    }
    return new SeededRandom(hash >>> 0);
  }

  /** From 0 up to 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low));
  }

  /** Exponentially distributed: mostly short, sometimes very long, like pauses and outages. */
  around(meanMs: number): number {
    return Math.round(-Math.log(1 - this.fraction()) * meanMs);
  }

  oneOf<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length)] as T;
  }

  shuffled<T>(all: readonly T[]): T[] {
    const drawn = all.map((each) => [this.fraction(), each] as const);
    return drawn.sort(([one], [other]) => one - other).map(([, each]) => each);
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.between(0, 256));
  }
}
