/** How long each process could not read, and could not write. */
import { exchange } from "../exchange.ts";
import { type LoadOptions, pause } from "../load.ts";
import { write } from "../writing.ts";

const probeEveryMs = 250;

export interface Outage {
  readonly readMs: number;
  readonly writeMs: number;
}

/** The longest time without a success, from the start to the end. */
export function longestGap(startMs: number, endMs: number, successesMs: readonly number[]): number {
  const instants = [startMs, ...successesMs.toSorted((one, other) => one - other), endMs];
  return Math.max(...instants.slice(1).map((instant, at) => instant - (instants[at] ?? startMs)));
}

export interface Probes {
  /** Waits for the last answers, and says how long the worst process was away. */
  ended(): Promise<Outage>;
}

/** A read and a write at each process every quarter of a second, however long they take. */
export function startProbes(bases: () => readonly string[], options: LoadOptions): Probes {
  const startMs = performance.now();
  const reads = new Map<string, number[]>();
  const writes = new Map<string, number[]>();
  const underWay = new Set<Promise<void>>();
  const { ledger, token, tally, random } = options;
  const seen = { reads: 0, slowReads: 0, acknowledged: 0, failed: 0, limited: 0, lost: 0 };
  const note = (successes: Map<string, number[]>, base: string) =>
    successes.set(base, [...(successes.get(base) ?? []), performance.now()]);
  const probe = async (base: string) => {
    const pet = ledger.newPet(random);
    const reading = exchange({ method: "GET", url: `${base}/pets?limit=1`, token }, tally);
    const writing = write({ ...options, seen, base, fresh: false }, pet);
    await Promise.all([
      reading.then((answer) => answer?.status === 200 && note(reads, base)),
      writing.then(() => pet.outcome === "acknowledged" && note(writes, base)),
    ]);
  };
  let stopping = false;
  const all = (async () => {
    while (!stopping) {
      for (const base of bases()) {
        const probing = probe(base).finally(() => underWay.delete(probing));
        underWay.add(probing);
      }
      await pause(probeEveryMs);
    }
    // Of those that were sent before, the last answer counts.
    const endMs = performance.now();
    await Promise.all(underWay);
    return endMs;
  })();
  all.catch(() => {});
  return {
    async ended() {
      stopping = true;
      const endMs = await all;
      const worst = (successes: Map<string, number[]>) =>
        Math.max(...bases().map((base) => worstGap(startMs, endMs, successes.get(base) ?? [])));
      return { readMs: worst(reads), writeMs: worst(writes) };
    },
  };
}

const worstGap = (startMs: number, endMs: number, all: readonly number[]) =>
  longestGap(
    startMs,
    endMs,
    all.filter((instant) => instant <= endMs),
  );
