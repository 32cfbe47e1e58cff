import { allOperations } from "../../contract/operations.ts";
import { Problem } from "../../problems.ts";
import { effectAnswer } from "../effect.ts";
import type { Handler, Shop } from "../handlers.ts";

const onePet = allOperations.find(({ id }) => id === "getPet");

export function createPet({ catalogue, clock, knownCategoriesOnly }: Shop): Handler<"createPet"> {
  return async ({ body }, { base, once }) => {
    const terms = { once, knownCategoryOnly: knownCategoriesOnly };
    const outcome = await catalogue.add(body, terms);
    if (outcome.kind === "no_such_category") {
      throw new Problem("body_invalid", {
        detail: `categoryId must be the id of a category; no category has ${body.categoryId}.`,
      });
    }
    return effectAnswer(201, outcome, (id) => ({ location: base + addressOf(id, clock.now()) }));
  };
}

/** Where a pet is found: at its own path, and once that is gone, where the contract sends people. */
function addressOf(id: bigint, nowMs: number): string {
  const { lifecycle } = onePet ?? {};
  const gone = lifecycle !== undefined && nowMs >= lifecycle.sunsetAtMs;
  return (gone ? lifecycle.successor : "/pets/{petId}").replace("{petId}", String(id));
}
