/** One-time links to the dashboard. */
import { invitationMs, issueLink, welcomeAddress } from "../accounts/links.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import type { Command } from "./command.ts";
import { iso } from "./durations.ts";
import { noSuchOwner } from "./ownersCommands.ts";
import { readHolder } from "./ownersTokens.ts";
import { withStores } from "./withStores.ts";
import { CommandFailure } from "./world.ts";

export const inviteOwner: Command = {
  name: "owners invite",
  summary: "Make a one-time link to the dashboard and show it once",
  operand: { shown: "[<id>]", summary: "The owner it is for", optional: true },
  options: {
    operator: { summary: "Make it for the operator instead, who may do everything" },
  },
  about:
    "Whoever opens the link first is signed in and can set a password: hand it over where nobody else\nreads it. It works once, within 7 days. An earlier link for the same person ends. For somebody who\nhas forgotten their password it is the way back in.",
  examples: ["petstore owners invite acme", "petstore owners invite --operator"],
  async run(call, world) {
    const holder = readHolder(call);
    const { token, account, expiresAtMs } = await withStores(world, ({ accounts }) =>
      issueLink(accounts, world.clock, holder, invitationMs),
    ).catch(explained(call.operand));
    const link = welcomeAddress(world.dashboardAddress(), token);
    const expiresAt = iso(expiresAtMs);
    return {
      json: { name: account, link, expiresAt },
      text: `A link to the dashboard for ${holder.kind === "operator" ? "the operator" : account}. It works once, until ${expiresAt}:\n\n  ${link}\n\nThey sign in as ${account} from then on.\n`,
    };
  },
};

function explained(id: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof AccountRefusal)) throw cause;
    throw cause.code === "owner_not_found" ? noSuchOwner(id) : new CommandFailure(cause.message);
  };
}
