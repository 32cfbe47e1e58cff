/** One-time links to the dashboard. */
import { invitationMs, issueLink, linkUrl } from "../accounts/sessions.ts";
import { isRefusal } from "../core/problems.ts";
import type { Command } from "./command.ts";
import { CommandFailure } from "./context.ts";
import { iso } from "./durations.ts";
import { noSuchOwner } from "./ownersCommands.ts";
import { readHolder } from "./ownersTokens.ts";
import { withStores } from "./withStores.ts";

export const inviteOwner: Command = {
  name: "owners invite",
  summary: "Create a one-time link to the dashboard and show it once",
  operand: { shown: "[<id>]", summary: "The owner it is for", optional: true },
  options: {
    operator: { summary: "For the operator instead of an owner" },
  },
  about:
    "The first to open the link is signed in and can set a password: send it over a private channel. It\nworks once, within 7 days, and replaces an earlier link for the same account. It also resets a\nforgotten password.",
  examples: ["petstore owners invite acme", "petstore owners invite --operator"],
  async run(call, context) {
    const holder = readHolder(call);
    const { token, account, expiresAtMs } = await withStores(context, ({ accounts }) =>
      issueLink(accounts, context.clock, holder, invitationMs),
    ).catch(explained(call.operand));
    const link = linkUrl(context.dashboardAddress(), token);
    const expiresAt = iso(expiresAtMs);
    return {
      json: { name: account, link, expiresAt },
      text: `A link to the dashboard for ${holder.kind === "operator" ? "the operator" : account}. It works once, until ${expiresAt}:\n\n  ${link}\n\nThey sign in as ${account} from then on.\n`,
    };
  },
};

function explained(id: string) {
  return (cause: unknown): never => {
    if (!isRefusal(cause)) throw cause;
    throw cause.code === "owner_not_found" ? noSuchOwner(id) : new CommandFailure(cause.message);
  };
}
