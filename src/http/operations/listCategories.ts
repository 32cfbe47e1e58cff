import { categoryText } from "../../catalogue/categories.ts";
import { openCursor, sealCursor } from "../../catalogue/cursor.ts";
import { then } from "../../maybePromise.ts";
import type { Handler, Shop } from "../handlers.ts";
import { pageAnswer } from "../page.ts";

const question = "categories";

export function listCategories({ categories, secret }: Shop): Handler<"listCategories"> {
  return ({ query: { limit, cursor } }, { base }) => {
    const after = cursor === undefined ? undefined : openCursor(secret, question, cursor);
    return then(categories.list({ after, limit }), ({ categories: found, next }) =>
      pageAnswer(
        found.map(categoryText),
        next === undefined
          ? undefined
          : `${base}/categories?limit=${limit}&cursor=${sealCursor(secret, question, next)}`,
      ),
    );
  };
}
