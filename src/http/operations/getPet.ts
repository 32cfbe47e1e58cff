import { petsWithIds } from "../../catalogue/petChanges.ts";
import { int64FromText } from "../../contract/int64.ts";
import { then } from "../../maybePromise.ts";
import { Problem } from "../../problems.ts";
import { readHeaders } from "../answer.ts";
import type { Handler, Shop } from "../handlers.ts";

export function getPet({ catalogue }: Shop): Handler<"getPet"> {
  return ({ path }) => {
    const id = int64FromText(path.petId);
    // 404, not 400: what is no canonical int64 is the identifier of no pet.
    if (id === undefined) throw new Problem("pet_not_found");
    return then(catalogue.get(id), (body) => {
      if (body === undefined) throw new Problem("pet_not_found");
      return { status: 200, body, headers: readHeaders, dependsOn: petsWithIds([id]) };
    });
  };
}
