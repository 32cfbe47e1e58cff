/** Who has sites, and on which plan. */
import { type AccessHolder, type AccessToken, mintAccess } from "../accounts/access.ts";
import { accountFor, emailOf, emailWords, readEmail, setEmail } from "../accounts/email.ts";
import { invitationMs, issueLink, linkUrl } from "../accounts/sessions.ts";
import { toJson } from "../contract/json.ts";
import { isExpectedProblem } from "../core/problems.ts";
import { statusOf } from "../hosting/domains/domain.ts";
import { type Owner, ownerIdError, ownerNameLengthMax, plans } from "../hosting/sites/site.ts";
import { AccountMails } from "../notifications/accountMails.ts";
import type { Stores } from "../storage/stores.ts";
import type { Call, Command } from "./command.ts";
import type { CliContext } from "./context.ts";
import { fromNow, iso } from "./durations.ts";
import { CommandFailure, UsageError } from "./errors.ts";
import { readChoice, readName, readText } from "./readText.ts";
import { cutText, refuseCut, servedHosts } from "./sitesCommands.ts";
import { listReport } from "./table.ts";
import { withNewStores, withStores } from "./withStores.ts";

const addOwner: Command = {
  name: "owners add",
  summary: "Add an owner of documentation sites",
  operands: { "<id>": "Lower-case letters, digits and hyphens" },
  options: {
    "name <name>": "Display name (default: the id)",
    "plan <plan>": "free or paid (default free)",
    "email <address>": "Where their notifications and invitations go",
  },
  about: "Custom domains need the plan paid. Sites themselves do not.",
  examples: [
    "petstore owners add acme --name 'Acme Corporation' --plan paid --email ops@acme.example",
  ],
  async run(call, context) {
    const id = readText("<id>", call.operand, ownerIdError(call.operand));
    const owner: Owner = {
      id,
      name: readName("--name", call.values.get("name") ?? id, ownerNameLengthMax),
      plan: readChoice("--plan", call.values.get("plan") ?? "free", plans),
    };
    const email = readAddress("--email", call.values.get("email"));
    const { result: added, made } = await withNewStores(call, context, async (stores) => {
      const holder = { kind: "owner", id } as const;
      if (email !== undefined) accountFor(holder);
      if (!(await stores.sites.addOwner(owner))) return false;
      if (email !== undefined) await setEmail(stores.accounts, holder, email);
      return true;
    }).catch(explained(id));
    if (!added) {
      throw new CommandFailure(
        `There is an owner ${id} already. Nothing was changed. See petstore owners list.`,
      );
    }
    return {
      json: { ...owner, email: email ?? null, ...made },
      text: `Added the owner ${id} (${owner.plan}). Next: petstore sites create <slug> --owner ${id}\n`,
    };
  },
};

const listOwners: Command = {
  name: "owners list",
  summary: "List the owners, their plans and e-mail addresses",
  examples: ["petstore owners list"],
  async run(_call, context) {
    const owners = await withStores(context, async ({ sites, accounts }) => {
      const emails = await accounts.listEmails();
      return (await sites.listOwners()).map((owner) => ({
        ...owner,
        email: emails.get(owner.id) ?? null,
      }));
    });
    return listReport(owners, {
      columns: {
        Id: ({ id }) => id,
        Plan: ({ plan }) => plan,
        Name: ({ name }) => name,
        "E-mail": ({ email }) => email ?? "",
      },
      empty: "There are no owners yet. Add one with petstore owners add <id>.",
    });
  },
};

const changePlan: Command = {
  name: "owners plan",
  summary: "Change the plan of an owner",
  operands: { "<id>": "The owner", "<plan>": "free or paid" },
  options: { yes: "Confirm, where live domains go offline" },
  about:
    "Takes effect at once, in every running service of this store. Without the plan paid, the domains\nof the owner are not served; paid brings them back.",
  examples: ["petstore owners plan acme paid"],
  async run(call, context) {
    const { operand: id, second } = call;
    const plan = readChoice("<plan>", second, plans);
    const back = `petstore owners plan ${id} paid`;
    const cutOff = await withStores(context, async (stores) => {
      const hosts = plan === "paid" ? [] : servedHosts(await attachedTo(id, stores, context));
      refuseCut(call, { by: `The plan ${plan}`, hosts, back });
      if (!(await stores.sites.setPlan(id, plan))) throw noSuchOwner(id);
      return hosts;
    });
    return {
      json: { id, plan, cutOff },
      text: `The owner ${id} is on the plan ${plan} now.\n${cutText({ hosts: cutOff, back })}`,
    };
  },
};

const changeEmail: Command = {
  name: "owners email",
  summary: "Set where the mail of an owner or the operator goes",
  operands: { "<address>": "The e-mail address, or none", "[<id>]": "The owner" },
  options: { operator: "For the operator instead of an owner" },
  about:
    "Notifications and invitations go to it, where PETSTORE_SMTP_URL is set. Owners can also set it in\nthe dashboard, under Account.",
  examples: [
    "petstore owners email ops@acme.example acme",
    "petstore owners email none acme",
    "petstore owners email root@example.com --operator",
  ],
  async run(call, context) {
    const { operand: address, second: id } = call;
    const holder = readHolder({ ...call, operand: id });
    const email = address === "none" ? undefined : readAddress("<address>", address);
    await withStores(context, async (stores) => {
      const before = await emailOf(stores.accounts, holder);
      await setEmail(stores.accounts, holder, email);
      await accountMails(context, stores)?.emailChanged(accountFor(holder), before, email);
    }).catch(explained(id));
    const whose = holderText(holder);
    return {
      json: { kind: holder.kind, owner: id || null, email: email ?? null },
      text:
        email === undefined
          ? `No mail goes to ${whose} any more.\n`
          : `Mail for ${whose} goes to ${email}.\n`,
    };
  },
};

function readAddress(what: string, text: string): string;
function readAddress(what: string, text: string | undefined): string | undefined;
function readAddress(what: string, text: string | undefined): string | undefined {
  const email = text === undefined ? undefined : readEmail(text);
  if (text === undefined || email !== undefined) return email;
  throw new UsageError(`${what} must be ${emailWords}, not ${JSON.stringify(text)}.`);
}

async function attachedTo(ownerId: string, { domains }: Stores, { clock }: CliContext) {
  return (await domains.list())
    .filter(({ domain }) => domain.ownerId === ownerId)
    .map(({ domain, standing }) => ({
      host: domain.host,
      status: statusOf(domain, standing, clock.now()),
    }));
}

export function noSuchOwner(id: string): CommandFailure {
  const meant = ownerIdError(id) === undefined ? id : "<id>";
  return new CommandFailure(
    `There is no owner ${JSON.stringify(id)}. See petstore owners list, or add one with petstore owners add ${meant}.`,
  );
}

const nameLengthMax = 100;
const nameDefault = "default";

const createAccessToken: Command = {
  name: "owners token",
  summary: "Create an access token for the internal API and show it once",
  operands: { "[<id>]": "The owner it acts for" },
  options: {
    operator: "For the operator instead of an owner",
    "name <name>": `What it is for, 1 to ${nameLengthMax} characters (default "${nameDefault}")`,
  },
  about:
    "The token itself is not stored, only a hash of it: write it down when it is shown. It opens\n/internal/v1 and nothing under /v1. It lasts until it is revoked.",
  examples: ["petstore owners token acme --name deploy", "petstore owners token --operator"],
  async run(call, context) {
    const holder = readHolder(call);
    const name = readName("--name", call.values.get("name") ?? nameDefault, nameLengthMax);
    const { access, token } = mintAccess(holder, name, context.clock);
    const added = await withStores(context, (stores) => stores.access.add(access));
    if (!added) throw noSuchOwner(call.operand);
    return {
      json: { ...accessJson(access), token },
      text: `Made the access token "${name}" (${access.id}) for ${holderText(holder)}.\n\n  ${token}\n\nIt is shown this once. End it with petstore owners revoke-token ${access.id}.\n`,
    };
  },
};

const listAccessTokens: Command = {
  name: "owners tokens",
  summary: "List access tokens, without the secrets",
  examples: ["petstore owners tokens"],
  async run(_call, context) {
    const tokens = await withStores(context, (stores) => stores.access.list());
    const nowMs = context.clock.now();
    return listReport(tokens, {
      json: accessJson,
      columns: {
        Id: ({ id }) => id,
        Name: ({ name }) => name,
        For: ({ holder }) => holderText(holder),
        Hint: ({ hint }) => hint,
        State: ({ revokedAtMs }) =>
          revokedAtMs === undefined ? "active" : `revoked ${fromNow(revokedAtMs, nowMs)}`,
        Made: ({ createdAtMs }) => fromNow(createdAtMs, nowMs),
      },
      empty: "There are no access tokens yet. Make one with petstore owners token <id>.",
    });
  },
};

const revokeAccessToken: Command = {
  name: "owners revoke-token",
  summary: "Revoke an access token",
  operands: { "<id>": "Of the token; see petstore owners tokens" },
  about: "Takes effect at once, in every running service of this store, and ends open streams.",
  examples: ["petstore owners revoke-token acc_4fK2mQ9xW1Zt"],
  async run({ operand: id }, context) {
    const nowMs = context.clock.now();
    const found = await withStores(context, (stores) => stores.access.revoke(id, nowMs));
    if (!found) {
      throw new CommandFailure(
        `No access token has the id ${JSON.stringify(id)}. See petstore owners tokens.`,
      );
    }
    return { json: { id, revoked: true }, text: `${id} is revoked.\n` };
  },
};

export function readHolder({ operand: id, switches }: Call): AccessHolder {
  const operator = switches.has("operator");
  if (operator === (id !== "")) {
    throw new UsageError("Name an owner, or give --operator: one of the two.");
  }
  return operator ? { kind: "operator" } : { kind: "owner", id };
}

const holderText = (holder: AccessHolder) =>
  holder.kind === "operator" ? "the operator" : `the owner ${holder.id}`;

function accessJson({ hash: _, holder, ...token }: AccessToken) {
  const owner = holder.kind === "owner" ? holder.id : null;
  return { ...toJson(token), kind: holder.kind, owner };
}

const inviteOwner: Command = {
  name: "owners invite",
  summary: "Create a one-time link to the dashboard and show it once",
  operands: { "[<id>]": "The owner it is for" },
  options: {
    operator: "For the operator instead of an owner",
  },
  about:
    "The first to open the link is signed in and can set a password: send it over a private channel. It\nworks once, within 7 days, and replaces an earlier link for the same account. It also resets a\nforgotten password. If a mail server is set and the account has an address, it is mailed, too.",
  examples: ["petstore owners invite acme", "petstore owners invite --operator"],
  async run(call, context) {
    const holder = readHolder(call);
    const { account, link, expiresAt, mailedTo } = await withStores(context, async (stores) => {
      const issued = await issueLink(stores.accounts, context.clock, holder, invitationMs);
      const link = linkUrl(context.dashboardAddress(), issued.token);
      const mailedTo = await accountMails(context, stores)?.invited(issued, link);
      return { ...issued, link, expiresAt: iso(issued.expiresAtMs), mailedTo };
    }).catch(explained(call.operand));
    const mailed = mailedTo === undefined ? "" : `It is also mailed to ${mailedTo}. `;
    return {
      json: { name: account, link, expiresAt, mailedTo: mailedTo ?? null },
      text: `A link to the dashboard for ${holder.kind === "operator" ? "the operator" : account}. It works once, until ${expiresAt}:\n\n  ${link}\n\n${mailed}They sign in as ${account} from then on.\n`,
    };
  },
};

/** Undefined where no mail server is set. */
function accountMails(context: CliContext, { accounts, mails }: Stores): AccountMails | undefined {
  const tools = context.mail();
  if (tools === undefined) return undefined;
  const { vault, operatorEmail } = tools;
  return new AccountMails({ accounts, mails, clock: context.clock, vault, operatorEmail });
}

function explained(id: string) {
  return (cause: unknown): never => {
    if (!isExpectedProblem(cause)) throw cause;
    throw cause.code === "owner_not_found" ? noSuchOwner(id) : new CommandFailure(cause.message);
  };
}

/** In the order of the help. */
export const ownersCommands: readonly Command[] = [
  addOwner,
  listOwners,
  changePlan,
  changeEmail,
  inviteOwner,
  createAccessToken,
  listAccessTokens,
  revokeAccessToken,
];
