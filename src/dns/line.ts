import type { Clock } from "../clock.ts";

interface Waiting {
  readonly admit: () => void;
}

/** Lets a few work at a time. The others wait in a line that has an end, and not for ever. */
export class Line {
  readonly #clock: Clock;
  readonly #waitingMax: number;
  readonly #waiting = new Set<Waiting>();
  #free: number;

  constructor(clock: Clock, atOnceMax: number, waitingMax: number) {
    this.#clock = clock;
    this.#free = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** Does the work when its turn comes; undefined if the line is full or the turn does not come. */
  async pass<T>(waitMsMax: number, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#free > 0) this.#free--;
    else if (!(await this.#turn(waitMsMax))) return undefined;
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next.admit();
    }
  }

  #turn(waitMsMax: number): Promise<boolean> {
    if (this.#waiting.size >= this.#waitingMax) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = (admitted: boolean) => {
        cancel();
        this.#waiting.delete(waiting);
        resolve(admitted);
      };
      const waiting = { admit: () => leave(true) };
      const cancel = this.#clock.after(waitMsMax, () => leave(false));
      this.#waiting.add(waiting);
    });
  }
}
