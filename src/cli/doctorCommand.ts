import { judgeSetup, type SetupCheck } from "../hosting/domains/setupChecks.ts";
import type { Command } from "./command.ts";
import type { CliContext, MailTools } from "./context.ts";
import { counted, table } from "./table.ts";
import { withStores } from "./withStores.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check whether this machine can be reached by its names",
  options: {
    "domain <host>": "The name to check, as with petstore serve (default: PETSTORE_DOMAIN)",
  },
  about: [
    "It looks up PETSTORE_DOMAIN and PETSTORE_SITES_HOST in DNS and connects to their addresses, tries",
    "ports 80 and 443, checks CAA records, asks the certificate authority for its directory and compares",
    "clocks, signs in to the mail server, and looks at the database, the disk and the limit on open",
    "files. It orders and sends nothing, and may be run before the first start and while the service",
    "runs. Give it the settings of the service.",
    "",
    "Exit code: 0 no problem was found, 1 at least one was.",
  ].join("\n"),
  examples: ["petstore doctor --domain api.example.com", "petstore doctor --json"],
  async run({ values }, context) {
    const domain = values.get("domain");
    const seen = await context.observeSetup(
      domain === undefined ? {} : { PETSTORE_DOMAIN: domain },
    );
    const mail = context.mail();
    const checks = [...judgeSetup(seen), ...(mail ? await checkMail(mail, context) : [])];
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

async function checkMail(tools: MailTools, context: CliContext): Promise<readonly SetupCheck[]> {
  const about = { check: "mail", subject: tools.server } as const;
  const result = await tools.verify();
  const server: SetupCheck =
    result.kind === "sent"
      ? { ...about, verdict: "ok", seen: "The mail server lets the service in." }
      : {
          ...{ ...about, verdict: "problem" },
          seen: `The mail server cannot be used: ${result.error}`,
          next: "Check PETSTORE_SMTP_URL, and that the server runs and lets this machine in.",
        };
  return [server, ...(await checkOutbox(tools, context))];
}

/** Only of a store that a service has made ready: opening another would change it. */
async function checkOutbox(
  { operatorEmail }: MailTools,
  context: CliContext,
): Promise<readonly SetupCheck[]> {
  const { version, latest } = await context.storeVersion();
  if (version !== latest) return [];
  const { count, address } = await withStores(context, async ({ mails, accounts }) => ({
    count: await mails.count(),
    address: (await accounts.find("operator"))?.email ?? operatorEmail,
  }));
  const warning = (seen: string, next: string): SetupCheck => {
    return { check: "mail", verdict: "warning", seen, next };
  };
  return [
    ...(address === undefined
      ? [warning("The operator has no address.", "Set PETSTORE_OPERATOR_EMAIL.")]
      : []),
    ...(count.pending > 0
      ? [warning(`${counted(count.pending, "mail")} not sent yet.`, "See petstore mail list.")]
      : []),
    ...(count.failed > 0
      ? [
          warning(
            `${counted(count.failed, "mail")} could not be sent.`,
            "See petstore mail list --state failed, and send them again with petstore mail retry.",
          ),
        ]
      : []),
  ];
}

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
