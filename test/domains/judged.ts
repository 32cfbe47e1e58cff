/** Judging what was seen of a host, with what any verdict must be. */
import { expect } from "bun:test";
import { findingCodes } from "../../src/hosting/domains/finding.ts";
import type { Observation } from "../../src/hosting/domains/observation.ts";
import { type Expectation, type Verdict, verify } from "../../src/hosting/domains/verification.ts";
import { apexHost, host, target } from "./answers.ts";

export const expected: Expectation = {
  host,
  target,
  proof: undefined,
};
export const expectedApex: Expectation = { ...expected, host: apexHost };

/** What nothing but waiting, or we ourselves, can fix. */
const withoutNext = ["STALE_CACHE", "SERVFAIL", "TARGET_UNKNOWN"];

/** Judges, and holds every finding to what any finding must be. */
export function judged(observation: Observation, expectation: Expectation = expected): Verdict {
  const verdict = verify(observation, expectation);
  for (const { code, message, next, seconds } of verdict.findings) {
    expect(findingCodes).toContain(code);
    expect(message).toMatch(/^\S.*\.$/s);
    expect(message + (next ?? "")).not.toMatch(/undefined|NaN|Infinity|\[object|\s\.|,\s*,|\s{2}/);
    if (!withoutNext.includes(code)) expect(next).toMatch(/^[A-Z].*\.$/s);
    if (seconds !== undefined) expect(Number.isSafeInteger(seconds)).toBe(true);
  }
  if (verdict.kind !== "right") expect(verdict.findings).not.toEqual([]);
  return verdict;
}

export const codesOf = ({ findings }: Verdict) => findings.map(({ code }) => code);
export const summary = (verdict: Verdict) => [verdict.kind, ...codesOf(verdict)];
