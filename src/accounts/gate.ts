/** Lets a few in at once and a few more wait. Whoever comes beyond that is turned away at once. */
export class Gate {
  readonly #insideMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor({ insideMax, waitingMax }: { insideMax: number; waitingMax: number }) {
    this.#insideMax = insideMax;
    this.#waitingMax = waitingMax;
  }

  /** Undefined, with the work not begun, when too many wait already. */
  async through<T>(work: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    if (this.#inside >= this.#insideMax) {
      if (this.#waiting.length >= this.#waitingMax) return undefined;
      // Whoever leaves hands on the place, so nobody slips in between.
      await new Promise<void>((enter) => this.#waiting.push(enter));
    } else this.#inside++;
    try {
      return { value: await work() };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside--;
      else next();
    }
  }
}
