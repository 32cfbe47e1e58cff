import type { PetFilter } from "../../catalogue/catalogue.ts";
import { openCursor, sealCursor } from "../../catalogue/cursor.ts";
import { petsText } from "../../catalogue/pet.ts";
import { then } from "../../soon.ts";
import { readHeaders } from "../answer.ts";
import type { Handler, Shop } from "../handlers.ts";

export function listPets({ catalogue, secret }: Shop): Handler<"listPets"> {
  return ({ query }, base) => {
    const { limit, status, id: ids, cursor } = query;
    const filter = { status, ids };
    const after = cursor === undefined ? undefined : openCursor(secret, filter, cursor);
    return then(catalogue.list({ ...filter, after, limit }), ({ pets, next }) => ({
      status: 200,
      body: petsText(pets),
      headers:
        next === undefined
          ? readHeaders
          : {
              ...readHeaders,
              link: nextLink(base, filter, limit, sealCursor(secret, filter, next)),
            },
    }));
  };
}

function nextLink(base: string, filter: PetFilter, limit: number, cursor: string): string {
  const status = filter.status === undefined ? "" : `&status=${filter.status}`;
  const ids = (filter.ids ?? []).map((id) => `&id=${id}`).join("");
  return `<${base}/pets?limit=${limit}${status}${ids}&cursor=${cursor}>; rel="next"`;
}
