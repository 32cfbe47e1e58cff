import { describe, expect, test } from "bun:test";
import { takeAttempt } from "../../src/accounts/signInThrottle.ts";

const atMs = 1_000_000;
const attempt = { bucket: "0000", atMs, burst: 3, intervalMs: 100 };

describe("Taking a try out of a bucket", () => {
  test("takes as many at once as it holds, and then tells how long the next one takes", () => {
    let fullAtMs = atMs;
    for (let count = 1; count <= attempt.burst; count++) {
      const taken = takeAttempt(fullAtMs, attempt);
      expect(taken).toEqual({ kind: "taken", fullAtMs: atMs + count * 100 });
      if (taken.kind === "taken") fullAtMs = taken.fullAtMs;
    }
    expect(takeAttempt(fullAtMs, attempt)).toEqual({ kind: "wait", waitMs: 100 });
    expect(takeAttempt(fullAtMs, { ...attempt, atMs: atMs + 99 })).toEqual({
      kind: "wait",
      waitMs: 1,
    });
    expect(takeAttempt(fullAtMs, { ...attempt, atMs: atMs + 100 }).kind).toBe("taken");
  });

  test("a bucket that was full long ago holds no more than a full one", () => {
    expect(takeAttempt(0, attempt)).toEqual({ kind: "taken", fullAtMs: atMs + 100 });
  });

  test("one that a clock far ahead has filled in is empty, and no worse", () => {
    expect(takeAttempt(atMs * 2, attempt)).toEqual({ kind: "wait", waitMs: 100 });
  });
});
