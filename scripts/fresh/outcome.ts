/** What one command on the bare machine showed. */
import type { Ended } from "../debian/root.ts";

export interface Check {
  readonly name: string;
  readonly command: string;
  readonly msMax: number;
  /** Whether a warning of npm is a failure. */
  readonly warningsFail?: boolean;
}

export interface Outcome {
  readonly versions: string;
  readonly check: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** The last line of a test run: how many passed, and how many failed. */
  readonly closingLine?: string;
  readonly complaints: readonly string[];
}

const complaintsMax = 60;

export function outcomeOf(
  { name, warningsFail = false }: Check,
  { code, output }: Ended,
  when: { versions: string; seconds: number },
): Outcome {
  const lines = output.split("\n").map((line) => line.trimEnd());
  const warnings = warningsFail ? lines.filter((line) => /^npm warn\b/i.test(line)) : [];
  const closingLine = lines.findLast((line) => /^\d+ passed, \d+ failed/.test(line));
  return {
    ...when,
    check: name,
    passed: code === 0 && warnings.length === 0,
    ...(closingLine === undefined ? {} : { closingLine }),
    complaints: code === 0 ? warnings : complaintsIn(lines),
  };
}

/** Failed tests by their names, or else the end of what was said. */
function complaintsIn(lines: readonly string[]): readonly string[] {
  const failed = lines.filter((line) => /^\(fail\)|^FAILED|^error:/.test(line));
  return (failed.length > 0 ? failed : lines.filter(Boolean)).slice(-complaintsMax);
}
