import { Problem } from "../../problems.ts";
import { effectAnswer } from "../effect.ts";
import type { Handler, Shop } from "../handlers.ts";

export function placeOrder({ orders, clock }: Shop): Handler<"placeOrder"> {
  return async ({ body }, { base, once }) => {
    const outcome = await orders.place(body, clock.now(), once);
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
        return effectAnswer(201, outcome, (id) => ({ location: `${base}/store/orders/${id}` }));
    }
  };
}
