import { describe, expect, test } from "bun:test";
import { argon2Sync } from "node:crypto";
import {
  commonPasswords,
  currentCost,
  needsRehash,
  Passwords,
  passwordError,
} from "../../src/accounts/password.ts";
import { Problem } from "../../src/core/problems.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { rejectionOf } from "../store/rejection.ts";

describe("a password", () => {
  test.each([
    ["four words", "lantern over the harbour"],
    ["as short as may be", "k9!xQz4wPm2v"],
    ["as long as may be", "ab".repeat(128)],
    ["as long as may be, written in two parts each", "e\u0301a\u0300".repeat(128)],
    ["nothing but letters", "zebrafishmarmalade"],
    ["another script", "пароль из четырёх слов"],
    ["pictures, each of which is one character", "🐶🐱🐭🐹🐰🦊🐻🐼🐨🐯🦁🐮"],
    ["spaces at both ends", "  inside  out  "],
    ["control characters", "tab\tand\u0000zero!"],
  ])("may be %s", (_what, text) => {
    expect(passwordError(text, "shop")).toBeUndefined();
  });

  test.each([
    ["eleven characters", "k9!xQz4wPm2", "at least 12"],
    ["eleven pictures, which are 22 units", "🐶🐱🐭🐹🐰🦊🐻🐼🐨🐯🦁", "at least 12"],
    ["eleven characters, written in two parts each", `${"e\u0301".repeat(10)}a`, "at least 12"],
    ["257 characters", `${"ab".repeat(128)}c`, "more than 256"],
    ["more parts than so many letters have", "e\u0301".repeat(513), "more than 256"],
    ["the name", "the-long-owner", "the name"],
    ["the name in capitals", "The-Long-OWNER", "the name"],
    ["a common one", "password1234", "easy to guess"],
    ["a common one in capitals", "PassWord1234", "easy to guess"],
    ["one character again and again", "zzzzzzzzzzzzzzzz", "easy to guess"],
    ["half a character", "half a pair \ud800", "incomplete character"],
  ])("must not be %s", (_what, text, said) => {
    expect(passwordError(text, "the-long-owner")).toContain(said);
  });

  test("that is common and too short is not on the list, where it would do nothing", () => {
    expect([...commonPasswords].filter((each) => [...each].length < 12)).toEqual([]);
    expect([...commonPasswords].filter((each) => each !== each.toLowerCase())).toEqual([]);
    expect(commonPasswords.size).toBeGreaterThan(200);
  });
});

describe("a stored password", () => {
  const passwords = () => new Passwords(fakeClock(0, 3));

  test("is argon2id at the cost that OWASP names, as the runtime computes it by itself", async () => {
    const stored = await passwords().hash("lantern over the harbour");
    const [, salt = "", hash = ""] =
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([\w+/]{22})\$([\w+/]{43})$/.exec(stored) ?? [];
    const own = argon2Sync("argon2id", {
      message: "lantern over the harbour",
      nonce: Buffer.from(salt, "base64"),
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    });
    expect(Buffer.from(hash, "base64").equals(own)).toBe(true);
  });

  test("is matched by itself and by nothing else", async () => {
    const hasher = passwords();
    const stored = await hasher.hash("lantern over the harbour");
    expect(await hasher.matches("lantern over the harbour", stored)).toBe(true);
    expect(await hasher.matches("Lantern over the harbour", stored)).toBe(false);
    expect(await hasher.matches("lantern over the harbour ", stored)).toBe(false);
    expect(await hasher.matches("", stored)).toBe(false);
  });

  test("is the same however its letters were composed", async () => {
    const hasher = passwords();
    const stored = await hasher.hash("cafe\u0301 au lait sucre\u0301");
    expect(await hasher.matches("café au lait sucré", stored)).toBe(true);
  });

  test("is another text each time", async () => {
    const hasher = passwords();
    expect(await hasher.hash("lantern over the harbour")).not.toBe(
      await hasher.hash("lantern over the harbour"),
    );
  });

  test("of another cost is matched at that cost, and known to be outdated", async () => {
    const nonce = Buffer.alloc(16, 7);
    const cost = { memory: 64, passes: 1, parallelism: 2 };
    const own = argon2Sync("argon2id", { message: "an old one", nonce, ...cost, tagLength: 32 });
    const text = (bytes: Buffer) => bytes.toString("base64").replace(/=/g, "");
    const stored = `$argon2id$v=19$m=64,t=1,p=2$${text(nonce)}$${text(own)}`;
    expect(await passwords().matches("an old one", stored)).toBe(true);
    expect(await passwords().matches("another one", stored)).toBe(false);
    expect(needsRehash(stored)).toBe(true);
    expect(needsRehash(await passwords().hash("a new one"))).toBe(false);
  });

  test("of an unknown form is a fault, which does not repeat it", async () => {
    for (const stored of ["", "$scrypt$secret", "$argon2id$v=19$m=64,t=1,p=2$c2FsdA$c2hvcnQ"]) {
      const { message } = await rejectionOf(passwords().matches("whatever", stored));
      expect(message).toBe("A stored password has an unknown form.");
    }
  });

  test("that there is none costs the same work as one, and is never matched", async () => {
    const costs: unknown[] = [];
    const counting = new Passwords(fakeClock(0, 3), async (_password, salt, cost) => {
      costs.push([salt.byteLength, cost]);
      return new Uint8Array(32);
    });
    const stored = await counting.hash("lantern over the harbour");
    await counting.matches("wrong", stored);
    expect(await counting.matches("wrong", undefined)).toBe(false);
    expect(costs).toEqual([
      [16, currentCost],
      [16, currentCost],
      [16, currentCost],
    ]);
  });

  test("is not nobody's, even if somebody finds what nobody's hashes to", async () => {
    // The clock's own bytes: first the salt, then the hash of nobody.
    const clock = fakeClock(0, 3);
    clock.random(16);
    const hash = clock.random(32);
    const hasher = new Passwords(fakeClock(0, 3), async () => hash);
    expect(await hasher.matches("whatever", undefined)).toBe(false);
  });
});

describe("hashing", () => {
  test("is done two at a time; 32 more wait, and the next is sent away to come back", async () => {
    const pending: (() => void)[] = [];
    let most = 0;
    let now = 0;
    const hasher = new Passwords(fakeClock(0, 3), async () => {
      most = Math.max(most, ++now);
      await new Promise<void>((resolve) => pending.push(resolve));
      now--;
      return new Uint8Array(32);
    });
    const underWay = Array.from({ length: 34 }, () => hasher.hash("whatever"));
    const refusal = (await rejectionOf(hasher.hash("one too many"))) as Problem;
    expect(refusal).toBeInstanceOf(Problem);
    expect([refusal.code, refusal.retryAfterSeconds]).toEqual(["sign_in_busy", 2]);
    let finished = 0;
    for (const work of underWay) work.then(() => finished++);
    while (finished < 34) {
      pending.shift()?.();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(most).toBe(2);
    const after = hasher.hash("room again");
    pending.shift()?.();
    expect(await after).toStartWith("$argon2id$");
  });

  test("leaves the main thread free", async () => {
    const hasher = new Passwords(fakeClock(0, 3));
    // Sooner or later, where the machine is busy: a hash on this thread would let nobody in between.
    await eventually(async () => {
      let turns = 0;
      let hashing = true;
      const turn = () => {
        turns++;
        if (hashing) setImmediate(turn);
      };
      setImmediate(turn);
      await hasher.hash("lantern over the harbour");
      hashing = false;
      return turns > 10;
    });
  });
});
