import { allOperations } from "../../contract/operations.ts";
import { Problem } from "../../core/problems.ts";
import type { Handler, HandlerDependencies } from "../handlers.ts";
import { writeResponse } from "../responses.ts";

const onePet = allOperations.find(({ id }) => id === "getPet");

export function createPet({
  catalogue,
  clock,
  knownCategoriesOnly,
}: HandlerDependencies): Handler<"createPet"> {
  return async ({ body }, { base, idempotency }) => {
    const terms = { idempotency, knownCategoryOnly: knownCategoriesOnly };
    const outcome = await catalogue.add(body, terms);
    if (outcome.kind === "no_such_category") {
      throw new Problem("body_invalid", {
        detail: `categoryId must be the id of a category; no category has ${body.categoryId}.`,
      });
    }
    return writeResponse(201, outcome, (id) => ({ location: base + addressOf(id, clock.now()) }));
  };
}

/** Where a pet is found: at its own path, and once that is gone, where the contract sends people. */
function addressOf(id: bigint, nowMs: number): string {
  const { lifecycle } = onePet ?? {};
  const gone = lifecycle !== undefined && nowMs >= lifecycle.sunsetAtMs;
  return (gone ? lifecycle.successor : "/pets/{petId}").replace("{petId}", String(id));
}
