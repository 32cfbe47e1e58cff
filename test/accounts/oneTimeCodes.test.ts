import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  generateRecoveryCodes,
  generateTotpSecret,
  matchingStep,
  readTotpCode,
  recoveryCodeHash,
  totpCode,
  totpStep,
  totpUrl,
} from "../../src/accounts/oneTimeCodes.ts";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";

/** "12345678901234567890" in base32. */
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const nowMs = Date.UTC(2026, 10, 15, 12);
const now = totpStep(nowMs);

describe("a code of an authenticator app", () => {
  test.each([
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ])("is that of RFC 6238, appendix B, %d seconds after 1970", (seconds, code) => {
    expect(totpCode(rfcSecret, totpStep(seconds * 1000), 8)).toBe(code);
  });

  test("is accepted for a step before and after, and not beyond", () => {
    const accepted = [-2, -1, 0, 1, 2].map((drift) =>
      matchingStep(rfcSecret, totpCode(rfcSecret, now + drift), nowMs, 0),
    );
    expect(accepted).toEqual([undefined, now - 1, now, now + 1, undefined]);
  });

  test("is accepted once, and none before it afterwards", () => {
    const code = (step: number) => totpCode(rfcSecret, step);
    expect(matchingStep(rfcSecret, code(now), nowMs, now)).toBeUndefined();
    expect(matchingStep(rfcSecret, code(now - 1), nowMs, now)).toBeUndefined();
    expect(matchingStep(rfcSecret, code(now + 1), nowMs, now)).toBe(now + 1);
  });

  test("is accepted after the clock was set back", () => {
    expect(matchingStep(rfcSecret, totpCode(rfcSecret, now), nowMs, now + 1)).toBeUndefined();
    expect(matchingStep(rfcSecret, totpCode(rfcSecret, now), nowMs, now + 2)).toBe(now);
  });

  test("may be typed with spaces, and is nothing but six digits", () => {
    expect(readTotpCode(" 123 456\n")).toBe("123456");
    for (const typed of ["", "12345", "1234567", "12345a", "١٢٣٤٥٦"]) {
      expect(readTotpCode(typed)).toBeUndefined();
    }
  });

  test("comes from a secret of 160 bits, in a link that apps understand", () => {
    const secret = generateTotpSecret(fakeClock(nowMs, 11));
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(totpUrl(secret, "Pet Store", "a&b")).toBe(
      `otpauth://totp/Pet%20Store:a%26b?secret=${secret}&issuer=Pet%20Store`,
    );
  });
});

const { error } = spawnSync("oathtool", ["--version"]);
describeUnless(error && "oathtool is not installed", "oathtool", () => {
  test("makes the same codes of our secrets", () => {
    const clock = fakeClock(nowMs, 12);
    for (let days = 0; days < 10; days++) {
      const secret = generateTotpSecret(clock);
      const atMs = nowMs + days * 86_412_345;
      const options = ["--totp", "--base32", `--now=@${Math.floor(atMs / 1000)}`, secret];
      const { stdout } = spawnSync("oathtool", options, { encoding: "utf8" });
      expect(stdout).toBe(`${totpCode(secret, totpStep(atMs))}\n`);
    }
  });
});

describe("recovery codes", () => {
  test("are ten, all different, of 80 bits in groups of four", () => {
    const codes = generateRecoveryCodes(fakeClock(nowMs, 11));
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  });

  test("are the same however they are typed", () => {
    const hash = recoveryCodeHash("abcd-efgh-2345-mnop");
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(recoveryCodeHash(" ABCD efgh-2345mnop\n")).toBe(hash);
    expect(recoveryCodeHash("a8cd-efgh-2345-mn0p")).toBe(hash);
    for (const typed of ["", "123456", "abcd-efgh-2345-mno9", "a".repeat(100_000)]) {
      expect(recoveryCodeHash(typed)).toBeUndefined();
    }
  });
});
