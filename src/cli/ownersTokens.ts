/** What owners and operators show to the dashboard's API. */
import { type AccessHolder, type AccessToken, mintAccess } from "../accounts/access.ts";
import type { Call, Command } from "./command.ts";
import { CommandFailure } from "./context.ts";
import { fromNow, iso, isoOrNull } from "./durations.ts";
import { noSuchOwner } from "./ownersCommands.ts";
import { readName } from "./readText.ts";
import { table } from "./table.ts";
import { withStores } from "./withStores.ts";

const nameLengthMax = 100;
const nameDefault = "default";

export const createAccessToken: Command = {
  name: "owners token",
  summary: "Create an access token for the internal API and show it once",
  operand: { shown: "[<id>]", summary: "The owner it acts for", optional: true },
  options: {
    operator: { summary: "For the operator instead of an owner" },
    name: {
      value: "<name>",
      summary: `What it is for, 1 to ${nameLengthMax} characters (default "${nameDefault}")`,
    },
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

export const listAccessTokens: Command = {
  name: "owners tokens",
  summary: "List access tokens, without the secrets",
  options: {},
  examples: ["petstore owners tokens"],
  async run(_call, context) {
    const tokens = await withStores(context, (stores) => stores.access.list());
    const nowMs = context.clock.now();
    return {
      json: tokens.map(accessJson),
      text:
        tokens.length === 0
          ? "There are no access tokens yet. Make one with petstore owners token <id>.\n"
          : table([
              ["Id", "Name", "For", "Hint", "State", "Made"],
              ...tokens.map(({ id, name, holder, hint, createdAtMs, revokedAtMs }) => [
                id,
                name,
                holderText(holder),
                hint,
                revokedAtMs === undefined ? "active" : `revoked ${fromNow(revokedAtMs, nowMs)}`,
                fromNow(createdAtMs, nowMs),
              ]),
            ]),
    };
  },
};

export const revokeAccessToken: Command = {
  name: "owners revoke-token",
  summary: "Revoke an access token",
  operand: { shown: "<id>", summary: "Of the token; see petstore owners tokens" },
  options: {},
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
    throw new CommandFailure("Name an owner, or give --operator: one of the two.", 2);
  }
  return operator ? { kind: "operator" } : { kind: "owner", id };
}

const holderText = (holder: AccessHolder) =>
  holder.kind === "operator" ? "the operator" : `the owner ${holder.id}`;

function accessJson({ id, name, holder, hint, createdAtMs, revokedAtMs }: AccessToken) {
  return {
    id,
    name,
    kind: holder.kind,
    owner: holder.kind === "owner" ? holder.id : null,
    hint,
    createdAt: iso(createdAtMs),
    revokedAt: isoOrNull(revokedAtMs),
  };
}
