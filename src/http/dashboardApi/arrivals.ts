/** Who may bring something large: it is in memory as a whole while it comes and is worked on. */
import { Gate } from "../../accounts/gate.ts";
import { DashboardRefusal } from "./refusal.ts";

const atOnceMax = 8;
/** So that whoever sends slowly keeps themselves waiting, and nobody else. */
const atOncePerOwnerMax = 2;
const waitingMax = 64;

export class Arrivals {
  readonly #all = new Gate({ insideMax: atOnceMax, waitingMax });
  /** As many as there are owners, whom only the operator makes. */
  readonly #own = new Map<string, Gate>();

  async take<T>(ownerId: string, work: () => Promise<T>): Promise<T> {
    const taken = await this.#gateOf(ownerId).through(() => this.#all.through(work));
    if (taken?.value !== undefined) return taken.value.value;
    throw new DashboardRefusal(
      "uploads_exhausted",
      "Too many contents arrive at the same time. Try again shortly.",
    );
  }

  #gateOf(ownerId: string): Gate {
    const known = this.#own.get(ownerId);
    if (known !== undefined) return known;
    const gate = new Gate({ insideMax: atOncePerOwnerMax, waitingMax });
    this.#own.set(ownerId, gate);
    return gate;
  }
}
