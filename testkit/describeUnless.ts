/** Tests that need more of the machine than npm brings: a tool, a compiler, a platform. */
import { describe, test } from "bun:test";

/** Nobody looks at what was skipped in CI, so there a missing tool is a failure. */
export function verdictOn(
  missing: string | undefined,
  ci = process.env["CI"],
): "run" | "skip" | "fail" {
  if (missing === undefined) return "run";
  return ci === "true" ? "fail" : "skip";
}

/** `describe`, or a skip with the reason in its name, where something is missing. */
export function describeUnless(missing: string | undefined, name: string, body: () => void): void {
  const verdict = verdictOn(missing);
  if (verdict === "run") describe(name, body);
  else if (verdict === "skip") describe.skip(`${name} (skipped: ${missing})`, body);
  else
    describe(name, () => {
      test("has what it needs", () => {
        throw new Error(missing);
      });
    });
}
