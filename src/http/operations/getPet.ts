import { int64FromText } from "../../contract/int64.ts";
import { then } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import { petRange } from "../../petstore/catalogue/petChanges.ts";
import type { Handler, HandlerDependencies } from "../handlers.ts";
import { readHeaders } from "../responses.ts";

export function getPet({ catalogue }: HandlerDependencies): Handler<"getPet"> {
  return ({ path }) => {
    const id = int64FromText(path.petId);
    // 404, not 400: what is no canonical int64 is the identifier of no pet.
    if (id === undefined) throw new Problem("pet_not_found");
    return then(catalogue.get(id), (body) => {
      if (body === undefined) throw new Problem("pet_not_found");
      return { status: 200, body, headers: readHeaders, dependsOn: petRange(id, id) };
    });
  };
}
