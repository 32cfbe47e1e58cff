/** The life of one worker's process: it may be stopped for good, or stand still and come back. */
import type { Clock } from "../../src/core/clock.ts";
import { idle, type VirtualTime } from "./virtualTime.ts";

export class Life {
  readonly name: string;
  #state: "alive" | "paused" | "dead" = "alive";
  readonly #waiting: (() => void)[] = [];
  /** Whether it ever stood still: what it had begun before may be another's by now. */
  pauses = 0;

  constructor(name: string) {
    this.name = name;
  }

  get isAlive(): boolean {
    return this.#state === "alive";
  }

  get isDead(): boolean {
    return this.#state === "dead";
  }

  kill(): void {
    this.#state = "dead";
    this.#waiting.length = 0;
  }

  pause(): void {
    if (this.#state !== "alive") return;
    this.#state = "paused";
    this.pauses += 1;
  }

  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "alive";
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Resolves while it lives, later when it stands still, never when it is dead. */
  going(): Promise<void> {
    if (this.#state === "alive") return Promise.resolve();
    return new Promise((resolve) => {
      if (this.#state === "paused") this.#waiting.push(resolve);
    });
  }

  whenAlive(action: () => void): void {
    if (this.#state === "alive") action();
    else if (this.#state === "paused") this.#waiting.push(action);
  }

  /** The same object, whose answers reach only a process that lives. */
  between<T extends object>(inner: T): T {
    return new Proxy(inner, {
      get: (object, name) => {
        const value = Reflect.get(object, name, object) as unknown;
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (this.#state !== "alive") return new Promise(() => {});
          const answer: unknown = value.apply(object, args);
          return answer instanceof Promise ? this.#heard(answer) : answer;
        };
      },
    });
  }

  async #heard<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      if (this.#state !== "alive") await this.going();
      return value;
    } catch (cause) {
      if (this.#state !== "alive") await this.going();
      throw cause;
    }
  }

  /** Its clock. What polls is only woken when there is something to find: `poll` says when. */
  clock(
    inner: Clock,
    time: VirtualTime,
    poll: { everyMs: number; keep: (tick: () => void) => void },
  ): Clock {
    return {
      ...inner,
      after: (delayMs, action) => inner.after(delayMs, () => this.whenAlive(action)),
      every: (intervalMs, action) => {
        if (intervalMs === poll.everyMs) {
          poll.keep(action);
          return () => {};
        }
        let stopped = false;
        const again = () => {
          time.at(time.now() + intervalMs, () => {
            if (stopped || this.isDead) return idle;
            return this.whenAlive(() => {
              if (stopped) return;
              action();
              again();
            });
          });
        };
        again();
        return () => {
          stopped = true;
        };
      },
    };
  }
}
