import { Problem } from "../../core/problems.ts";
import type { Handler, HandlerDependencies } from "../handlers.ts";
import { writeResponse } from "../responses.ts";

export function placeOrder({ orders, clock }: HandlerDependencies): Handler<"placeOrder"> {
  return async ({ body }, { base, idempotency }) => {
    const outcome = await orders.place(body, clock.now(), idempotency);
    switch (outcome.kind) {
      case "no_such_pet":
        // 400, not 404: the path is there, and it is the body that names what is not.
        throw new Problem("body_invalid", {
          detail: `petId must be the id of a pet; no pet has ${body.petId}.`,
        });
      case "pet_not_available":
        throw new Problem("pet_not_available", {
          detail: `Pet ${body.petId} is ${outcome.status}, and only an available pet can be ordered.`,
        });
      default:
        return writeResponse(201, outcome, (id) => ({ location: `${base}/store/orders/${id}` }));
    }
  };
}
