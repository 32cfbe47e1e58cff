/** Who can sign in to the dashboard. */
import type { AccessHolder } from "../accounts/access.ts";
import { type Account, normalizeName, operatorName } from "../accounts/accounts.ts";
import { toJson } from "../contract/json.ts";
import type { Command } from "./command.ts";
import type { CliContext } from "./context.ts";
import { fromNow } from "./durations.ts";
import { CommandFailure } from "./errors.ts";
import { noSuchOwner } from "./ownersCommands.ts";
import { listReport } from "./table.ts";
import { withStores } from "./withStores.ts";

const operands = { "<name>": "operator, or the id of an owner" };

const listAccounts: Command = {
  name: "accounts list",
  summary: "List the accounts that can sign in to the dashboard",
  about: "An owner has an account from the first invitation on: petstore owners invite.",
  examples: ["petstore accounts list"],
  async run(_call, context) {
    const accounts = await withStores(context, (stores) => stores.accounts.list());
    const nowMs = context.clock.now();
    return listReport(accounts, {
      json: accountJson,
      columns: {
        Name: ({ name }) => name,
        Password: ({ password }) => (password === undefined ? "none" : "set"),
        "Second factor": ({ hasSecondFactor }) => (hasSecondFactor ? "set" : "none"),
        State: ({ disabledAtMs }) =>
          disabledAtMs === undefined ? "enabled" : `disabled ${fromNow(disabledAtMs, nowMs)}`,
      },
      empty: "There are no accounts yet. Create one with petstore owners invite <id>.",
    });
  },
};

function accountJson({ password, passwordVersion: _, holder, ...account }: Account) {
  return { ...toJson(account), kind: holder.kind, password: password !== undefined };
}

const disableAccount: Command = {
  name: "accounts disable",
  summary: "Disable an account, its sessions and its access tokens",
  operands,
  about:
    "Takes effect at once, in every running service of this store, and ends open streams. Nobody can\nsign in to the account, its one-time link ends, and its access tokens are refused until it is\nenabled again. API keys keep working, and sites and domains stay online.",
  examples: ["petstore accounts disable acme"],
  run: async ({ operand }, context) => ({
    json: { name: await setDisabled(operand, context.clock.now(), context), disabled: true },
    text: `${operand} is disabled. Enable it again with petstore accounts enable ${operand}.\n`,
  }),
};

const enableAccount: Command = {
  name: "accounts enable",
  summary: "Enable an account again",
  operands,
  about: "Its password, second factors and access tokens are those of before.",
  examples: ["petstore accounts enable acme"],
  run: async ({ operand }, context) => ({
    json: { name: await setDisabled(operand, undefined, context), disabled: false },
    text: `${operand} is enabled.\n`,
  }),
};

async function setDisabled(typed: string, atMs: number | undefined, context: CliContext) {
  const account = normalizeName(typed);
  const holder: AccessHolder =
    account === operatorName ? { kind: "operator" } : { kind: "owner", id: account };
  const found = await withStores(context, ({ accounts }) =>
    accounts.setDisabled({ account, holder, atMs }),
  );
  if (!found) throw noSuchOwner(typed);
  return account;
}

const resetSecondFactor: Command = {
  name: "accounts reset-second-factor",
  summary: "Remove the passkeys, app and recovery codes of an account",
  operands,
  about:
    "For somebody who has lost them. Signs the account out everywhere. Until it has a second factor\nagain, its password alone signs in: make sure who asks for it.",
  examples: ["petstore accounts reset-second-factor acme"],
  async run({ operand }, context) {
    const name = normalizeName(operand);
    const nowMs = context.clock.now();
    const found = await withStores(context, ({ secondFactors }) =>
      secondFactors.reset(name, nowMs),
    );
    if (!found) {
      throw new CommandFailure(
        `There is no account ${JSON.stringify(operand)}. See petstore accounts list.`,
      );
    }
    return { json: { name, reset: true }, text: `${name} has no second factor any more.\n` };
  },
};

/** In the order of the help. */
export const accountsCommands: readonly Command[] = [
  listAccounts,
  disableAccount,
  enableAccount,
  resetSecondFactor,
];
