import type { InternalCall, Places } from "../internal/places.ts";
import { DashboardRefusal } from "./refusal.ts";

/** The same handlers, which nobody else gets to. */
export function forOperators(places: Places): Places {
  return Object.fromEntries(
    Object.entries(places).map(([template, handlers]) => [
      template,
      Object.fromEntries(
        Object.entries(handlers).map(([method, handle]) => [
          method,
          (call: InternalCall) => {
            if (call.actor.kind === "operator") return handle(call);
            throw new DashboardRefusal(
              "operator_only",
              "Only the operator of this service may do that.",
            );
          },
        ]),
      ),
    ]),
  );
}
