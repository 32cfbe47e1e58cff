/** Who has sites, and on which plan. */
import {
  type Owner,
  ownerIdError,
  ownerNameLengthMax,
  type Plan,
  plans,
} from "../hosting/sites/site.ts";
import type { Command } from "./command.ts";
import { CommandFailure } from "./context.ts";
import { readName } from "./readText.ts";
import { cutText, refuseCut, servedHosts } from "./sitesServed.ts";
import { didYouMean, nearest } from "./suggest.ts";
import { table } from "./table.ts";
import { withNewStores, withStores } from "./withStores.ts";

export const addOwner: Command = {
  name: "owners add",
  summary: "Add an owner of documentation sites",
  operand: { shown: "<id>", summary: "Lower-case letters, digits and hyphens" },
  options: {
    name: { value: "<name>", summary: "Display name (default: the id)" },
    plan: { value: "<plan>", summary: "free or paid (default free)" },
  },
  about: "Custom domains need the plan paid. Sites themselves do not.",
  examples: ["petstore owners add acme --name 'Acme Corporation' --plan paid"],
  async run(call, context) {
    const id = call.operand;
    const complaint = ownerIdError(id);
    if (complaint !== undefined) throw new CommandFailure(`<id> ${complaint}.`, 2);
    const owner: Owner = {
      id,
      name: readName("--name", call.values.get("name") ?? id, ownerNameLengthMax),
      plan: readPlan("--plan", call.values.get("plan") ?? "free"),
    };
    const { result: added, made } = await withNewStores(call, context, ({ sites }) =>
      sites.addOwner(owner),
    );
    if (!added) {
      throw new CommandFailure(
        `There is an owner ${id} already. Nothing was changed. See petstore owners list.`,
      );
    }
    return {
      json: { ...owner, ...made },
      text: `Added the owner ${id} (${owner.plan}). Next: petstore sites create <slug> --owner ${id}\n`,
    };
  },
};

export const listOwners: Command = {
  name: "owners list",
  summary: "List the owners and their plans",
  options: {},
  examples: ["petstore owners list"],
  async run(_call, context) {
    const owners = await withStores(context, ({ sites }) => sites.listOwners());
    return {
      json: owners,
      text:
        owners.length === 0
          ? "There are no owners yet. Add one with petstore owners add <id>.\n"
          : table([
              ["Id", "Plan", "Name"],
              ...owners.map(({ id, plan, name }) => [id, plan, name]),
            ]),
    };
  },
};

export const changePlan: Command = {
  name: "owners plan",
  summary: "Change the plan of an owner",
  operand: { shown: "<id>", summary: "The owner" },
  second: { shown: "<plan>", summary: "free or paid" },
  options: { yes: { summary: "Confirm, where live domains go offline" } },
  about:
    "Takes effect at once, in every running service of this store. Without the plan paid, the domains\nof the owner are not served; paid brings them back.",
  examples: ["petstore owners plan acme paid"],
  async run(call, context) {
    const { operand: id, second } = call;
    const plan = readPlan("<plan>", second);
    const back = `petstore owners plan ${id} paid`;
    const cutOff = await withStores(context, async (stores) => {
      const isTheirs = ({ ownerId }: { ownerId: string }) => ownerId === id;
      const hosts = plan === "paid" ? [] : await servedHosts(stores, context.clock.now(), isTheirs);
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

export function noSuchOwner(id: string): CommandFailure {
  const meant = ownerIdError(id) === undefined ? id : "<id>";
  return new CommandFailure(
    `There is no owner ${JSON.stringify(id)}. See petstore owners list, or add one with petstore owners add ${meant}.`,
  );
}

function readPlan(what: string, text: string): Plan {
  const plan = plans.find((known) => known === text);
  if (plan !== undefined) return plan;
  throw new CommandFailure(
    `${what} must be ${plans.join(" or ")}, not ${JSON.stringify(text)}.${didYouMean(nearest(text, plans))}`,
    2,
  );
}
