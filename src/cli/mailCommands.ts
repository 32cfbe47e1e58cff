/** Mails of the service: what became of them. */
import { emailWords, readEmail } from "../accounts/email.ts";
import { toJson } from "../contract/json.ts";
import { type Mail, type MailContent, mailStates, newMailId } from "../notifications/mails.ts";
import { composeMail } from "../notifications/mailText.ts";
import type { Command } from "./command.ts";
import type { CliContext, MailTools } from "./context.ts";
import { fromNow } from "./durations.ts";
import { CommandFailure, UsageError } from "./errors.ts";
import { readChoice, readWhole } from "./readText.ts";
import { counted, listReport, someOf } from "./table.ts";
import { withStores } from "./withStores.ts";

const limitDefault = 20;
const limitMax = 1_000;
const namesShownMax = 2;

const listMails: Command = {
  name: "mail list",
  summary: "List mails, newest first, with what became of them",
  options: {
    "state <state>": "Only those that are pending, sent or failed",
    "limit <number>": `How many at most, 1 to ${limitMax} (default ${limitDefault})`,
  },
  about: "Mails are kept for 30 days after they were created. Links in them are never shown.",
  examples: ["petstore mail list", "petstore mail list --state failed --json"],
  async run({ values }, context) {
    const state = values.get("state");
    const query = {
      state: state === undefined ? undefined : readChoice("--state", state, mailStates),
      limit: readWhole("limit", values.get("limit") ?? `${limitDefault}`, 1, limitMax),
    };
    const found = await withStores(context, ({ mails }) => mails.list(query));
    const now = context.clock.now();
    return listReport(found, {
      json: ({ sealed: _, content, ...mail }) => ({ ...toJson(mail), content }),
      columns: {
        Id: ({ id }) => id,
        Created: ({ createdAtMs }) => fromNow(createdAtMs, now),
        To: ({ address }) => address,
        Kind: ({ content }) => content.kind,
        About: ({ content }) => aboutText(content),
        State: (mail) => stateText(mail, now),
        "Last error": ({ error = "" }) => error,
      },
      empty: "There are no such mails.",
    });
  },
};

function aboutText(content: MailContent): string {
  if (!("items" in content)) return "name" in content ? content.name : "";
  const names = content.items.map(({ name }) => name);
  return content.total > names.length
    ? counted(content.total, "subject")
    : someOf(names, namesShownMax);
}

function stateText({ state, dueAtMs, tries }: Mail, now: number): string {
  if (dueAtMs === undefined || tries === 0) return state;
  return `${state}, next attempt ${fromNow(dueAtMs, now)}`;
}

const testMail: Command = {
  name: "mail test",
  summary: "Send a mail now, and show what the mail server says",
  operands: { "<address>": "Whom to send it to" },
  about: "Exit code: 0 the server took it, 1 it did not.",
  examples: ["petstore mail test anna@example.com"],
  async run({ operand }, context) {
    const to = readEmail(operand);
    if (to === undefined) {
      throw new UsageError(`<address> must be ${emailWords}, not ${JSON.stringify(operand)}.`);
    }
    const tools = requireMail(context);
    const text = composeMail({ kind: "test" }, tools.context, undefined);
    const result = await tools.send({ id: newMailId(context.clock), to, ...text });
    const isSent = result.kind === "sent";
    return {
      json: { to, server: tools.server, ...result },
      text: isSent
        ? `${tools.server} took a mail for ${to}.\n`
        : `${tools.server} did not take a mail for ${to}. ${result.error}\n`,
      exitCode: isSent ? 0 : 1,
    };
  },
};

function requireMail(context: CliContext): MailTools {
  const tools = context.mail();
  if (tools !== undefined) return tools;
  throw new CommandFailure(
    "No mail server is set. Set PETSTORE_SMTP_URL and PETSTORE_MAIL_FROM, as for the service.",
  );
}

const retryMail: Command = {
  name: "mail retry",
  summary: "Send mails that failed or wait at once",
  operands: { "[<id>]": "The mail; left out with --all" },
  options: { all: "All that failed or wait" },
  about:
    "A running service sends them within seconds. One that is named goes to the address that its account\nhas now.",
  examples: ["petstore mail retry mail_4fK2mQ9xW1Zt0a8bC3dE", "petstore mail retry --all"],
  async run({ operand: id, switches }, context) {
    if ((id === "") !== switches.has("all")) {
      throw new UsageError("Name the mail to retry, or use --all, and not both.");
    }
    const nowMs = context.clock.now();
    const retried = await withStores(context, async ({ mails, accounts }) => {
      if (id === "") return mails.retry({ nowMs });
      const mail = await mails.get(id);
      const account = mail && (await accounts.find(mail.recipient));
      // The change of an address is told to the one before.
      const address = mail?.content.kind === "email_changed" ? undefined : account?.email;
      return mails.retry({ id, address, nowMs });
    });
    if (retried === 0 && id !== "") {
      throw new CommandFailure(
        `There is no mail ${JSON.stringify(id)} that failed or waits. See petstore mail list.`,
      );
    }
    const text = `${counted(retried, "mail")} will be sent.\n`;
    return { json: { retried }, text };
  },
};

export const mailCommands: readonly Command[] = [listMails, testMail, retryMail];
