/** Owners and their plans, for operators. */
import { ownerIdComplaint, ownerNameLengthMax, type Plan, plans } from "../../sites/site.ts";
import type { SiteStore } from "../../sites/sites.ts";
import type { Places } from "../internal/places.ts";
import { forOperators } from "./forOperators.ts";
import { invalid, membersOf, textIn } from "./reading.ts";
import { DashboardRefusal } from "./refusal.ts";

export function ownerPlaces(sites: SiteStore): Places {
  return forOperators({
    "/owners": {
      GET: async () => ({ status: 200, body: await sites.listOwners() }),
      async POST({ body }) {
        const members = membersOf(await body(), ["id", "name", "plan"]);
        const owner = {
          id: readId(textIn(members, "id")),
          name: readName(textIn(members, "name").trim()),
          plan: readPlan(members.plan ?? "free"),
        };
        if (await sites.addOwner(owner)) return { status: 201, body: owner };
        throw new DashboardRefusal("owner_exists", `The id ${owner.id} is taken.`);
      },
    },
    "/owners/{owner}/plan": {
      async PUT({ body, path }) {
        const { owner: id = "" } = path;
        const plan = readPlan(membersOf(await body(), ["plan"]).plan);
        if (await sites.setPlan(id, plan)) return { status: 200, body: { id, plan } };
        throw new DashboardRefusal("owner_not_found", `There is no owner ${id}.`);
      },
    },
  });
}

function readId(id: string): string {
  const complaint = ownerIdComplaint(id);
  if (complaint !== undefined) throw invalid(`id ${complaint}.`);
  return id;
}

function readName(name: string): string {
  if ([...name].length > ownerNameLengthMax || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw invalid(`name must have 1 to ${ownerNameLengthMax} characters.`);
  }
  return name;
}

function readPlan(given: unknown): Plan {
  const plan = plans.find((each) => each === given);
  if (plan === undefined) throw invalid(`plan must be one of ${plans.join(", ")}.`);
  return plan;
}
