import { assert, type Check, checksOf, NotApplicable } from "../check.ts";
import { expectAscending, expectIds, linkIn, nextOf } from "../fixtures.ts";
import { categoriesIn, errorIn } from "../shapes.ts";

const check = checksOf("categories");
const list = "openapi: /paths/~1categories/get";

export const categories: readonly Check[] = [
  check(
    "categories-list",
    "The categories are an array in the order of identifiers.",
    "openapi: /components/schemas/Categories",
    async (caller) => expectAscending(categoriesIn(await caller.get("/categories")), "categories"),
  ),
  check("categories-page", "Link leads to the next page of them.", list, async (caller) => {
    const all = categoriesIn(await caller.get("/categories?limit=100"));
    if (all.length < 2) throw new NotApplicable("The operator keeps fewer than two categories.");
    const first = await caller.get("/categories?limit=1");
    const second = await caller.get(nextOf(caller, first, "/categories"));
    const met = [...categoriesIn(first), ...categoriesIn(second)];
    expectIds(met, all.slice(0, 2));
    const more = linkIn(second, "next") !== undefined;
    assert(more === all.length > 2, `${all.length > 2 ? "a" : "no"} Link after two`, `${more}`);
  }),
  ...["limit=0", "limit=101", "cursor=made-up"].map((query) =>
    check(
      `categories-${query.replace("=", "-")}-refused`,
      `A list of categories with ${query} is refused with 400.`,
      list,
      async (caller) => {
        const code = query.startsWith("cursor") ? "cursor_invalid" : "parameter_invalid";
        errorIn(await caller.get(`/categories?${query}`), 400, code);
      },
    ),
  ),
  check(
    "categories-need-key",
    "Listing categories needs a key.",
    "openapi: /components/securitySchemes/apiKey",
    async (caller) => {
      errorIn(await caller.send("GET", "/categories", { authorization: null }), 401);
    },
  ),
];
