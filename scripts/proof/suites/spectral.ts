/** Spectral: its ruleset `oas` on both contracts. Anything that it reports, even a hint, is a failure. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { npmTools } from "../cachedTools.ts";
import { root, run, scratch } from "../run.ts";
import { type Failure, type Outcome, progress, type Suite } from "../suite.ts";

export const spectral: Suite = {
  name: "Spectral, ruleset oas on both contracts",
  slug: "spectral",
  quick: true,
  run: lint,
};

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

async function lint(): Promise<Outcome> {
  const commands = await npmTools("spectral");
  const ruleset = join(scratch, "spectral.json");
  writeFileSync(ruleset, JSON.stringify({ extends: ["spectral:oas"] }));
  const require = createRequire(join(commands, "spectral"));
  const { oas } = require("@stoplight/spectral-rulesets");
  const rules = Object.values<{ recommended?: boolean }>(oas.rules);
  const used = rules.filter(({ recommended }) => recommended !== false).length;

  let passed = 0;
  const failures: Failure[] = [];
  for (const document of ["petstore.yaml", "platform.yaml"]) {
    const report = join(scratch, `spectral-${document}.json`);
    const { text } = await run(
      join(commands, "spectral"),
      ["lint", `openapi/${document}`, "-r", ruleset, "-f", "json", "-o.json", report],
      root,
    );
    const findings = readFindings(report, text);
    const broken = new Set(findings.map(({ code }) => code)).size;
    progress(`${document}: ${used} rules, ${broken} broken in ${findings.length} places`);
    passed += used - broken;
    for (const { code, message, path } of findings) {
      failures.push({ id: `${document} ${code}: ${message}`, says: `at ${path.join(".")}` });
    }
  }
  const { version } = require("@stoplight/spectral-cli/package.json");
  return { version, passed, failures };
}

function readFindings(report: string, said: string): readonly Finding[] {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch (cause) {
    throw new Error(`Spectral wrote no report: ${said}`, { cause });
  }
}
