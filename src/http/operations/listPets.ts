import type { PetFilter } from "../../catalogue/catalogue.ts";
import { openCursor, petQuestion, sealCursor } from "../../catalogue/cursor.ts";
import { then } from "../../soon.ts";
import type { Handler, Shop } from "../handlers.ts";
import { pageAnswer } from "../page.ts";

export function listPets({ catalogue, secret }: Shop): Handler<"listPets"> {
  return ({ query }, { base }) => {
    const { limit, status, id: ids, cursor } = query;
    const filter = { status, ids };
    const question = petQuestion(filter);
    const after = cursor === undefined ? undefined : openCursor(secret, question, cursor);
    return then(catalogue.list({ ...filter, after, limit }), ({ pets, next }) =>
      pageAnswer(
        pets,
        next === undefined
          ? undefined
          : `${base}/pets?limit=${limit}${searchOf(filter)}&cursor=${sealCursor(secret, question, next)}`,
      ),
    );
  };
}

function searchOf({ status, ids = [] }: PetFilter): string {
  return (status === undefined ? "" : `&status=${status}`) + ids.map((id) => `&id=${id}`).join("");
}
