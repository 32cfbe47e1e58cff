/** A shorter form of `npm run failover`. */
import { describe, expect, test } from "bun:test";
import { judge, rehearseFailover } from "../../scripts/failover/rehearsal.ts";

describe("a primary that is killed among creations", () => {
  test("loses nothing that was acknowledged, and the service goes on without a restart", async () => {
    const outcome = await rehearseFailover({
      clientsPerProcess: 4,
      petsBefore: 600,
      petsAfter: 100,
    });
    expect(outcome.strange).toEqual([]);
    expect(outcome.lost).toEqual([]);
    expect(outcome.wrong).toEqual([]);
    expect(outcome.acknowledgedBefore).toBeGreaterThanOrEqual(600);
    expect(outcome.acknowledged).toBeGreaterThanOrEqual(outcome.acknowledgedBefore + 200);
    // The one that was left behind had not all of it.
    expect(outcome.promoted).toBe("gamma");
    // Both answered again.
    expect(outcome.secondsAway.map(Number.isFinite)).toEqual([true, true]);
    expect(outcome.exits).toEqual([0, 0]);
  });
});

describe("what the rehearsal calls", () => {
  const told = { process: 0, sentMs: 0, answeredMs: 0 };
  const acknowledged = [
    { ...told, id: 1, name: "a" },
    { ...told, id: 2, name: "b" },
  ];
  const whole = [
    { id: 1, name: "a" },
    { id: 2, name: "b" },
  ];

  test("lost is an acknowledged pet that one of the views lacks", () => {
    expect(judge({ acknowledged }, [whole, whole])).toEqual({ lost: [], wrong: [] });
    expect(judge({ acknowledged }, [whole, whole.slice(0, 1)])).toEqual({ lost: ["b"], wrong: [] });
  });

  test("wrong is one that is there twice, under another id, or without having been acknowledged", () => {
    const wrongs = [
      [...whole, { id: 3, name: "b" }],
      [
        { id: 1, name: "a" },
        { id: 3, name: "b" },
      ],
    ];
    for (const view of wrongs) {
      expect(judge({ acknowledged }, [view])).toEqual({ lost: [], wrong: ["b"] });
    }
    const more = [...whole, { id: 3, name: "c" }];
    expect(judge({ acknowledged }, [more])).toEqual({ lost: [], wrong: ["c"] });
  });
});
