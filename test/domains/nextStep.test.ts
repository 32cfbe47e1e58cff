import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Status, statuses } from "../../src/hosting/domains/domain.ts";
import { type Finding, type FindingCode, findingCodes } from "../../src/hosting/domains/finding.ts";
import { nextStepOf, remedies, usualSteps } from "../../src/hosting/domains/nextStep.ts";

const found = (code: FindingCode, next?: string): Finding => ({
  code,
  message: "It was found.",
  ...(next === undefined ? {} : { next }),
});
const overdue: readonly FindingCode[] = ["PROPAGATION_OVERDUE", "CERTIFICATE_OVERDUE"];
const ofOwner = findingCodes.filter((code) => remedies[code].by === "owner");
const ofService = findingCodes.filter((code) => remedies[code].by === "service");

describe("the next step", () => {
  for (const status of statuses) {
    test(`of ${status} is its usual one without a finding`, () => {
      expect(nextStepOf(status, [])).toEqual(usualSteps[status]);
    });

    test(`of ${status} is that of a finding, in its own words if it has some`, () => {
      for (const code of findingCodes) {
        const kept = status === "abandoned" && code === "DANGLING";
        const { by, text } = kept ? usualSteps.abandoned : remedies[code];
        expect(nextStepOf(status, [found(code)])).toEqual({ by, text });
        expect(nextStepOf(status, [found(code, "So.")])).toEqual({ by, text: kept ? text : "So." });
      }
    });

    test(`of ${status} is one, whatever is found together`, () => {
      for (const one of findingCodes) {
        for (const other of findingCodes) {
          const findings = [found(one, `Do ${one}.`), found(other, `Do ${other}.`)];
          expect(nextStepOf(status, findings)).toEqual(expectedOf(status, one, other));
        }
      }
    });
  }

  /** First what is more than that it takes long, then what only the owner can do, then the first. */
  function expectedOf(status: Status, one: FindingCode, other: FindingCode) {
    const rank = (code: FindingCode) =>
      overdue.includes(code) ? 2 : remedies[code].by === "owner" ? 0 : 1;
    const code = rank(other) < rank(one) ? other : one;
    const kept = status === "abandoned" && code === "DANGLING";
    return kept ? usualSteps.abandoned : { by: remedies[code].by, text: `Do ${code}.` };
  }

  test("says Nothing to do where only the service has something to do, and nowhere else", () => {
    const all = [...Object.values(remedies), ...Object.values(usualSteps)];
    for (const { by, text } of all) {
      expect(text.startsWith("Nothing to do")).toBe(by === "service");
      expect(text).toMatch(/^[A-Z].*\.$/);
    }
    expect([...ofOwner, ...ofService].sort()).toEqual([...findingCodes].sort());
  });
});

describe("the guide", () => {
  const guide = readFileSync(new URL("../../docs/guide/domains.md", import.meta.url), "utf8");
  const lastCells = Object.fromEntries(
    [...guide.matchAll(/^\| `(\w+)` +\|.*\| ([^|]+?) +\|$/gm)].map(([, name, cell]) => [
      name,
      cell,
    ]),
  );

  test("says the next step of every status and every finding as the program does", () => {
    for (const status of statuses) expect(lastCells[status]).toBe(usualSteps[status].text);
    for (const code of findingCodes) expect(lastCells[code]).toBe(remedies[code].text);
  });
});
