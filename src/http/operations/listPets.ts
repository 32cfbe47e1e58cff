import { then } from "../../core/maybePromise.ts";
import { idGivenMax, type PetFilter, type PetPage } from "../../petstore/catalogue/catalogue.ts";
import { normalIds, openCursor, petQuestion, sealCursor } from "../../petstore/catalogue/cursor.ts";
import { type PetExtent, petRange, petsWithIds } from "../../petstore/catalogue/petChanges.ts";
import type { Handler, HandlerDependencies } from "../handlers.ts";
import { pageResponse } from "../responses.ts";

export function listPets({ catalogue, secret }: HandlerDependencies): Handler<"listPets"> {
  return ({ query }, { base }) => {
    const { limit, status, id: ids, cursor } = query;
    const filter = { status, ids };
    const question = petQuestion(filter);
    const after = cursor === undefined ? undefined : openCursor(secret, question, cursor);
    return then(catalogue.list({ ...filter, after, limit }), (page) => {
      const { pets, next } = page;
      const nextAddress =
        next === undefined
          ? undefined
          : `${base}/pets?limit=${limit}${searchOf(filter)}&cursor=${sealCursor(secret, question, next)}`;
      return { ...pageResponse(pets, nextAddress), dependsOn: dependencyOf(page, filter, after) };
    });
  };
}

/**
 * Pets are added behind all that have an id up to `idGivenMax`, so a page that another one follows
 * is complete, and so is one that has every pet that was asked for. Others are not cached.
 */
function dependencyOf(
  { pets, readUpTo }: PetPage,
  { ids }: PetFilter,
  after = 0n,
): PetExtent | undefined {
  const isFollowed = readUpTo !== undefined && readUpTo <= idGivenMax;
  if (ids === undefined) return isFollowed ? petRange(after, readUpTo) : undefined;
  const wanted = normalIds(ids);
  return isFollowed || pets.length === wanted.length ? petsWithIds(wanted) : undefined;
}

function searchOf({ status, ids = [] }: PetFilter): string {
  return (status === undefined ? "" : `&status=${status}`) + ids.map((id) => `&id=${id}`).join("");
}
