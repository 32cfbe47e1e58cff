/** Schemathesis: examples, boundaries and random requests of the contract, and walks along its links. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonTools } from "../cachedTools.ts";
import { run, scratch } from "../run.ts";
import { type Live, onService } from "../service.ts";
import { type Failure, type Outcome, progress, type Suite } from "../suite.ts";

export const schemathesis: Suite = {
  name: "Schemathesis, all phases",
  slug: "schemathesis",
  // Until its random requests have passed in several runs.
  quick: false,
  run: () => onService(runSchemathesis),
};

/** The same random choices; which links it follows also depends on what is answered when. */
const seed = 7;
const examplesPerOperation = 50;
const hooks = fileURLToPath(new URL("../schemathesis/", import.meta.url));

/** The part of its report that is judged. */
export interface Report {
  readonly schemathesis_version: string;
  readonly complete: boolean;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly phases: Readonly<Record<string, { readonly status: string }>>;
  readonly test_cases: Readonly<Record<"generated" | "with_failures" | "without_checks", number>>;
  readonly failures: readonly {
    readonly code: string;
    readonly title: string;
    readonly operations: readonly string[];
  }[];
  readonly errors: readonly unknown[];
}

async function runSchemathesis({ base, key }: Live): Promise<Outcome> {
  const commands = await pythonTools("schemathesis");
  const report = join(scratch, "schemathesis.json");
  const { code, text } = await run(
    join(commands, "schemathesis"),
    [
      ...["run", `${base}/openapi.json`, `--url=${base}`, "-H", `Authorization: Bearer ${key}`],
      ...[
        "--phases=examples,coverage,fuzzing,stateful",
        "--exclude-checks=positive_data_acceptance",
      ],
      ...[`--seed=${seed}`, `--max-examples=${examplesPerOperation}`, "--generation-database=none"],
      ...["--report=json", `--report-json-path=${report}`],
    ],
    scratch,
    { SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: hooks, PYTHONDONTWRITEBYTECODE: "1" },
  );
  const said = text.replaceAll(key, "$API_KEY");
  if (code !== 0 && code !== 1) throw new Error(`Schemathesis ended with ${code}:\n${said}`);
  const outcome = outcomeOf(JSON.parse(readFileSync(report, "utf8")));
  if (code !== 0 && outcome.failures.length === 0) {
    throw new Error(`Schemathesis ended with ${code}, and its report has no failure:\n${said}`);
  }
  const summary = said.indexOf("= SUMMARY =");
  progress(outcome.failures.length > 0 ? said : said.slice(summary));
  return outcome;
}

/** A phase or an operation that was left out has failed. */
export function outcomeOf(report: Report): Outcome {
  const { operations, phases, test_cases: cases } = report;
  const failures: Failure[] = report.failures.flatMap(({ code, title, operations: where }) =>
    where.map((operation) => ({ id: `${operation} ${code}`, says: title })),
  );
  for (const error of report.errors) failures.push({ id: "error", says: JSON.stringify(error) });
  for (const phase of ["examples", "coverage", "fuzzing", "stateful"]) {
    const status = phases[phase]?.status ?? "absent";
    if (/success|failure/.test(status)) continue;
    failures.push({ id: `phase ${phase}`, says: `It did not run to its end: ${status}.` });
  }
  if (!report.complete || operations.tested < operations.total) {
    const says = `${operations.tested} of ${operations.total} operations were tested.`;
    failures.push({ id: "operations", says });
  }
  const passed = cases.generated - cases.with_failures - cases.without_checks;
  return { version: report.schemathesis_version, passed, failures };
}
