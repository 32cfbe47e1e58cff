import { judgeSetup, type SetupCheck } from "../hosting/domains/setupChecks.ts";
import type { Command } from "./command.ts";
import { counted, table } from "./table.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check whether this machine can be reached by its names",
  options: {
    "domain <host>": "The name to check, as with petstore serve (default: PETSTORE_DOMAIN)",
  },
  about: [
    "It looks up PETSTORE_DOMAIN and PETSTORE_SITES_HOST in DNS and connects to their addresses, tries",
    "ports 80 and 443, checks CAA records, asks the certificate authority for its directory and compares",
    "clocks, and looks at the database, the disk and the limit on open files. It orders nothing, and may",
    "be run before the first start and while the service runs. Give it the settings of the service.",
    "",
    "Exit code: 0 no problem was found, 1 at least one was.",
  ].join("\n"),
  examples: ["petstore doctor --domain api.example.com", "petstore doctor --json"],
  async run({ values }, context) {
    const domain = values.get("domain");
    const seen = await context.observeSetup(
      domain === undefined ? {} : { PETSTORE_DOMAIN: domain },
    );
    const checks = judgeSetup(seen);
    const problems = checks.filter(({ verdict }) => verdict === "problem").length;
    const warnings = checks.filter(({ verdict }) => verdict === "warning").length;
    const lines = [
      table(checks.flatMap(rows)),
      `${summary(problems, warnings)}\n`,
      ...(seen.domains === undefined ? [`${noDomain}\n`] : []),
    ];
    return {
      json: { problems, warnings, checks },
      text: lines.join(""),
      exitCode: problems > 0 ? 1 : 0,
    };
  },
};

const noDomain =
  "No domain is set, so DNS, ports and the certificate authority were not checked: add --domain <host>.";

function rows({ check, subject, verdict, seen, next }: SetupCheck): string[][] {
  const about = subject === undefined ? check : `${check} ${subject}`;
  return [[verdict, about, seen], ...(next === undefined ? [] : [["", "", `→ ${next}`]])];
}

function summary(problems: number, warnings: number): string {
  if (problems + warnings === 0) return "Everything is ready.";
  return `${counted(problems, "problem")}, ${counted(warnings, "warning")}.`;
}
