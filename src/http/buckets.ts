import type { Sample } from "./metricsText.ts";

/** How often values fell where: a histogram in plain numbers, since every request comes by. */
export class Buckets {
  readonly #bounds: readonly number[];
  /** One for each bound, and one for what is larger. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** A value belongs to the first bound that it does not exceed. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let at = 0;
    while (value > (this.#bounds[at] ?? Number.POSITIVE_INFINITY)) at++;
    (this.#counts[at] as number)++;
    this.#sum += value;
  }

  /** Each bucket holds those before it too. */
  samples(labels: NonNullable<Sample["labels"]> = {}): Sample[] {
    let value = 0;
    const buckets = [...this.#counts].map((count, at) => {
      value += count;
      const le = this.#bounds[at] ?? "+Inf";
      return { suffix: "_bucket", labels: { le, ...labels }, value };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value },
    ];
  }
}
