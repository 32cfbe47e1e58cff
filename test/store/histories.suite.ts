/** What holds in every history of pets and orders, whichever engine it happens on. */
import { describe, expect, test } from "bun:test";
import { retentionMs } from "../../src/petstore/idempotency/idempotency.ts";
import type { Stores } from "../../src/storage/stores.ts";
import fc from "../../testkit/fastCheck.ts";
import { rounds } from "../../testkit/rounds.ts";
import { allEvents, stateAfter } from "./events.suite.ts";
import {
  type Asked,
  ask,
  type Beginning,
  begin,
  carryOut,
  type Event,
  history,
  type Round,
} from "./history.ts";
import { judgeMarks, judgeOutcomes, Observer } from "./historyJudge.ts";
import { kindsOf } from "./outcomes.ts";

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeHistories(engine: string, open: () => Promise<Stores>): void {
  describe(`histories of pets and orders on ${engine}`, () => {
    test("every pet fits its open order at every instant, and each was done in some order, once", async () => {
      const handles = [await open(), await open()] as const;
      const reader = await open();
      const all: Event[] = [];
      let beginMs = Date.UTC(2026, 10, 15, 12);

      async function live(rounds: readonly Round[], beginning: Beginning): Promise<Event[]> {
        const observer = new Observer(reader, beginning);
        const past: Event[] = [];
        let nowMs = beginMs;
        for (const [round, { laterMs, attempts }] of rounds.entries()) {
          nowMs += laterMs;
          const doing = attempts.flatMap((attempt) => {
            const { request, idempotency } = ask(attempt, past, beginning);
            const asked: Asked = { request, idempotency: idempotency && { ...idempotency, nowMs } };
            return Array.from({ length: attempt.copies }, async (_, copy) => {
              const handle = handles[(attempt.handle + copy) % 2 === 0 ? 0 : 1];
              return { round, ...asked, outcome: await carryOut(handle, asked, nowMs) };
            });
          });
          past.push(...(await observer.during(Promise.all(doing))));
        }
        judgeMarks(past);
        judgeOutcomes(past, await observer.observe(), beginning);
        return past;
      }

      const property = fc.asyncProperty(history, async (rounds) => {
        // So long after the history before it that no idempotency key of that one counts any more.
        beginMs += 100 * retentionMs;
        all.push(...(await live(rounds, await begin(handles[0]))));
      });
      await fc.assert(property, { numRuns: rounds(40, 150) });

      // What the events tell is what there is.
      const told = stateAfter(await allEvents(reader));
      const { pets } = await reader.catalogue.list({ limit: 1_000_000 });
      const { orders } = await reader.orders.list({ limit: 1_000_000 });
      expect([...told.values()].toSorted()).toEqual([...pets, ...orders].toSorted());

      // The histories are worth their name only if everything happened in them.
      const kinds = kindsOf(all.map(({ outcome }) => outcome));
      expect(Object.keys(kinds).toSorted()).toEqual(
        [
          "conflict",
          "done",
          "mismatch",
          "no_such_order",
          "no_such_pet",
          "pet_not_available",
          "precondition_failed",
        ].concat(["refused", "replayed", "reserved", "stored"]),
      );
      const moves = all.filter(({ outcome }) => outcome.kind === "done");
      expect(Object.keys(kindsOf(moves.map(({ request }) => request))).toSorted()).toEqual([
        "add",
        "approve",
        "cancel",
        "delete",
        "deliver",
        "place",
        "update",
      ]);
    });
  });
}
