import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { ApiKey } from "../../src/petstore/keys/keys.ts";
import {
  allows,
  keyEventsOf,
  keyNameError,
  keyRetention,
  keyState,
  mintKey,
  planRotation,
} from "../../src/petstore/keys/lifecycle.ts";
import {
  checksum,
  hashToken,
  mintToken,
  tokenEnvironment,
  tokenHint,
  withoutTokens,
} from "../../src/petstore/keys/token.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import fc from "../../testkit/fastCheck.ts";

const hourMs = 3_600_000;

describe("a token", () => {
  test("tells its environment by its prefix", () => {
    expect(mintToken("production", systemClock)).toMatch(/^pet_live_[0-9A-Za-z]{38}$/);
    expect(mintToken("staging", systemClock)).toMatch(/^pet_test_[0-9A-Za-z]{38}$/);
    expect(tokenEnvironment(mintToken("production", systemClock))).toBe("production");
    expect(tokenEnvironment(mintToken("staging", systemClock))).toBe("staging");
  });

  test("with any one character changed is no token", () => {
    fc.assert(
      fc.property(fc.nat(46), fc.constantFrom(..."0aZ9_-é "), (place, character) => {
        const token = mintToken("production", systemClock);
        fc.pre(token[place] !== character);
        const changed = token.slice(0, place) + character + token.slice(place + 1);
        expect(tokenEnvironment(changed)).toBeUndefined();
      }),
    );
  });

  test("with more before or after it is no token, even if the checksum is right", () => {
    const body = mintToken("production", systemClock).slice(0, -6);
    for (const longer of [`x${body}`, `${body}abcdef!`]) {
      expect(tokenEnvironment(longer + checksum(longer))).toBeUndefined();
    }
  });

  test("ends with its CRC-32 in six digits of base 62", () => {
    // The check value of CRC-32: 3,421,780,262.
    expect(checksum("123456789")).toBe("3jZRME");
    expect(checksum("")).toBe("000000");
  });

  test("with two neighbours swapped is no token", () => {
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 45 }), (place) => {
        const token = mintToken("production", systemClock);
        fc.pre(token[place] !== token[place + 1]);
        const swapped = `${token.slice(0, place)}${token[place + 1]}${token[place]}${token.slice(place + 2)}`;
        expect(tokenEnvironment(swapped)).toBeUndefined();
      }),
    );
  });

  test("is drawn evenly from 62 characters", () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 2000; n++) {
      for (const character of mintToken("production", systemClock).slice(9, 41)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    const expected = (2000 * 32) / 62;
    for (const count of counts.values()) {
      expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
    }
  });

  test("cannot be read from what is stored or shown of it", () => {
    const { key, token } = mintKey(
      { name: "n", environment: "production", scopes: "all", expiresAtMs: undefined },
      systemClock,
    );
    expect(JSON.stringify(key)).not.toContain(token.slice(9, 25));
    expect(key.id).toMatch(/^key_[0-9A-Za-z]{12}$/);
    expect(key.hash).toBe(hashToken(token));
    expect(tokenHint(token)).toBe(`pet_live_…${token.slice(-4)}`);
    expect(withoutTokens(`a ${token} b ${token.slice(0, 20)}`)).toBe("a pet_live_… b pet_live_…");
  });
});

describe("what is kept of keys", () => {
  test("uses of 400 days, and a key of the catalogue page for a day after it expired", () => {
    const nowMs = Date.UTC(2026, 10, 15, 0, 0, 0, 1);
    expect(keyRetention(nowMs)).toEqual({
      catalogueKeysExpiredAtMs: Date.UTC(2026, 10, 14, 0, 0, 0, 1),
      usesBeforeDay: "2025-10-11",
    });
    expect(keyRetention(nowMs - 2).usesBeforeDay).toBe("2025-10-10");
  });
});

describe("a key's life", () => {
  const clock = fakeClock(Date.UTC(2026, 10, 15));
  const made = (expiresAtMs: number | undefined) =>
    mintKey({ name: "shop", environment: "staging", scopes: ["pets:read"], expiresAtMs }, clock)
      .key;

  test("is active until it expires or is revoked, and stays revoked after it would expire", () => {
    const now = clock.now();
    const key = made(now + hourMs);
    expect(keyState(key, now + hourMs - 1)).toBe("active");
    expect(keyState(key, now + hourMs)).toBe("expired");
    expect(keyState({ ...key, revokedAtMs: now }, now + 2 * hourMs)).toBe("revoked");
    expect(keyState(made(undefined), Number.MAX_SAFE_INTEGER)).toBe("active");
  });

  test("a rotation gives the successor the same name, scopes and length of life", () => {
    const old = made(clock.now() + 10 * hourMs);
    clock.advance(2 * hourMs);
    const { key, oldExpiresAtMs } = planRotation(old, hourMs, clock);
    expect(key).toMatchObject({ name: "shop", environment: "staging", scopes: ["pets:read"] });
    expect(key.expiresAtMs).toBe(clock.now() + 10 * hourMs);
    expect(oldExpiresAtMs).toBe(clock.now() + hourMs);
    expect(planRotation(made(undefined), 0, clock).key.expiresAtMs).toBeUndefined();
  });

  test("the grace period never outlives the old key's own expiry", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 0, max: 1e9 }),
        (lifeMs, graceMs) => {
          const old = made(clock.now() + lifeMs);
          const { oldExpiresAtMs } = planRotation(old, graceMs, clock);
          expect(oldExpiresAtMs).toBe(clock.now() + Math.min(lifeMs, graceMs));
        },
      ),
    );
  });

  test("a key has the scopes it was given, and all of them only when it has all", () => {
    expect(allows(made(undefined), "pets:read")).toBe(true);
    expect(allows(made(undefined), "pets:write")).toBe(false);
    expect(allows({ ...made(undefined), scopes: "all" }, "anything:new")).toBe(true);
    expect(allows({ ...made(undefined), scopes: "all" }, "platform:read")).toBe(false);
    expect(allows({ ...made(undefined), scopes: ["platform:read"] }, "platform:read")).toBe(true);
  });

  test("a rotation and a revocation are events when they happen, and not with a later change", () => {
    const key = made(undefined);
    const rotated = { ...key, replacedBy: "key_2" };
    const revoked = { ...rotated, revokedAtMs: clock.now() };
    const typesOf = (...change: [ApiKey | undefined, ApiKey]) =>
      keyEventsOf(...change, clock.now()).map(({ type }) => type);
    expect(typesOf(undefined, key)).toEqual(["key.created"]);
    expect(typesOf(undefined, revoked)).toEqual(["key.created"]);
    expect(typesOf(key, rotated)).toEqual(["key.rotated"]);
    expect(typesOf(rotated, revoked)).toEqual(["key.revoked"]);
    expect(typesOf(revoked, { ...revoked, name: "other" })).toEqual([]);
    const [event] = keyEventsOf(rotated, revoked, clock.now());
    expect(event?.resource).toBe(`keys/${key.id}`);
    expect(JSON.parse(event?.data ?? "")).toMatchObject({ id: key.id, state: "revoked" });
    expect(event?.data).not.toContain(key.hash);
  });
});

test("a key's name has 1 to 100 characters, some of them visible, and is not the reserved one", () => {
  const length = "must have 1 to 100 characters, not only white space";
  expect(keyNameError("shop")).toBeUndefined();
  expect(keyNameError("😀".repeat(100))).toBeUndefined();
  expect(keyNameError("a".repeat(101))).toBe(length);
  for (const name of ["", " ", "\ud800"]) expect(keyNameError(name)).toBe(length);
  for (const name of ["a\nb", "a\u2028b", "a\u2029b", "a\u001b[31m"]) {
    expect(keyNameError(name)).toBe("must not have control characters");
  }
  expect(keyNameError("dashboard session")).toBe(
    'must not be "dashboard session", which is reserved for the dashboard',
  );
});
