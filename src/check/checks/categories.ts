import {
  assert,
  type Check,
  checksOf,
  expectAscending,
  expectIds,
  NotApplicable,
} from "../check.ts";

const check = checksOf("categories");
const listCheck = check("openapi: /paths/~1categories/get");

export const categories: readonly Check[] = [
  check("openapi: /components/schemas/Categories")(
    "categories-list",
    "The categories are an array in the order of identifiers.",
    async (caller) => expectAscending((await caller.get("/categories")).categories(), "categories"),
  ),
  listCheck("categories-page", "Link leads to the next page of them.", async (caller) => {
    const all = (await caller.get("/categories?limit=100")).categories();
    if (all.length < 2) throw new NotApplicable("The operator keeps fewer than two categories.");
    const first = await caller.get("/categories?limit=1");
    const second = await caller.get(caller.nextOf(first, "/categories"));
    const met = [...first.categories(), ...second.categories()];
    expectIds(met, all.slice(0, 2));
    const more = second.link("next") !== undefined;
    assert(more === all.length > 2, `${all.length > 2 ? "a" : "no"} Link after two`, `${more}`);
  }),
  ...["limit=0", "limit=101", "cursor=made-up"].map((query) =>
    listCheck(
      `categories-${query.replace("=", "-")}-refused`,
      `A list of categories with ${query} is refused with 400.`,
      async (caller) => {
        const code = query.startsWith("cursor") ? "cursor_invalid" : "parameter_invalid";
        (await caller.get(`/categories?${query}`)).error(400, code);
      },
    ),
  ),
  check("openapi: /components/securitySchemes/apiKey")(
    "categories-need-key",
    "Listing categories needs a key.",
    async (caller) => (await caller.send("GET", "/categories", { authorization: null })).error(401),
  ),
];
