/** Gives every contestant a folder of its own and the same questions. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Contestant, Reference } from "./contestants/contestant.ts";
import { ours } from "./contestants/ours.ts";
import { takeReference } from "./reference.ts";
import type { Entry } from "./rounds.ts";
import { proveSameBytes } from "./sameBytes.ts";
import type { Sample } from "./sample.ts";
import { say } from "./say.ts";

const noReference: Reference = { pets: new Map(), lists: new Map() };

export class Arena {
  readonly sample: Sample;
  readonly #folder: string;
  #reference: Reference | undefined;
  #places = 0;

  constructor(folder: string, sample: Sample) {
    this.#folder = folder;
    this.sample = sample;
  }

  /** Lets them in one after the other, gives them to `act`, and shows all of them out. */
  async during<T>(
    contestants: readonly Contestant[],
    act: (entries: readonly Entry[]) => Promise<T>,
  ): Promise<T> {
    const entries: Entry[] = [];
    try {
      for (const contestant of contestants) entries.push(await this.#enter(contestant));
      return await act(entries);
    } finally {
      for (const { running } of entries) await running.stop();
    }
  }

  newFolder(): string {
    const folder = join(this.#folder, String(++this.#places));
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  async #enter(contestant: Contestant): Promise<Entry> {
    say(`starting ${contestant.name}`);
    const reference = await this.#takeReference();
    const place = { folder: this.newFolder(), sample: this.sample, reference };
    const entry = { contestant, running: await contestant.start(place) };
    await proveSameBytes(entry, reference).catch(async (cause) => {
      await entry.running.stop();
      throw cause;
    });
    return entry;
  }

  async #takeReference(): Promise<Reference> {
    if (this.#reference !== undefined) return this.#reference;
    const place = { folder: this.newFolder(), sample: this.sample, reference: noReference };
    const running = await ours.start(place);
    this.#reference = await takeReference(running).finally(() => running.stop());
    return this.#reference;
  }
}
