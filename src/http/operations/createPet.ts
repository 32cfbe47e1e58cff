import { petText } from "../../catalogue/pet.ts";
import type { Handler, Shop } from "../handlers.ts";

export function createPet({ catalogue }: Shop): Handler<"createPet"> {
  return async ({ body }, base) => {
    const pet = await catalogue.add(body);
    return {
      status: 201,
      body: petText(pet),
      headers: { location: `${base}/pets/${pet.id}`, "cache-control": "no-store" },
    };
  };
}
