import { then } from "../../core/maybePromise.ts";
import { categoryText } from "../../petstore/catalogue/categories.ts";
import { openCursor, sealCursor } from "../../petstore/catalogue/cursor.ts";
import type { Handler, HandlerDependencies } from "../handlers.ts";
import { pageResponse } from "../responses.ts";

const question = "categories";

export function listCategories({
  categories,
  secret,
}: HandlerDependencies): Handler<"listCategories"> {
  return ({ query: { limit, cursor } }, { base }) => {
    const after = cursor === undefined ? undefined : openCursor(secret, question, cursor);
    return then(categories.list({ after, limit }), ({ categories: found, next }) =>
      pageResponse(
        found.map(categoryText),
        next === undefined
          ? undefined
          : `${base}/categories?limit=${limit}&cursor=${sealCursor(secret, question, next)}`,
      ),
    );
  };
}
