import type { Caller } from "../caller.ts";
import {
  assert,
  type Check,
  checksOf,
  expectAscending,
  expectIds,
  NotApplicable,
} from "../check.ts";
import type { Category } from "../exchange.ts";

const check = checksOf("categories");
const listCheck = check("openapi: /paths/~1categories/get");
const createCheck = check("openapi: /paths/~1categories/post");
const updateCheck = check("openapi: /paths/~1categories~1{categoryId}/patch");
const deleteCheck = check("openapi: /paths/~1categories~1{categoryId}/delete");
const takenCheck = check("openapi: /components/responses/CategoryTaken");

/** Enough for three thousand; where there are more, only the beginning is walked. */
const pagesMax = 30;

/** Without those that this or another run has just made, which come and go. */
const lasting = (categories: readonly Category[]): Category[] =>
  categories.filter(({ name }) => !name.startsWith("petstore check "));

const listing: readonly Check[] = [
  check("openapi: /components/schemas/Categories")(
    "categories-list",
    "The categories are an array in the order of identifiers.",
    async (caller) => expectAscending((await caller.get("/categories")).categories(), "categories"),
  ),
  listCheck("categories-page", "Link leads to the next page of them.", async (caller) => {
    const all = lasting((await caller.get("/categories?limit=100")).categories());
    if (all.length < 2) throw new NotApplicable("The operator keeps fewer than two categories.");
    const met: Category[] = [];
    let pages = 0;
    for await (const seen of caller.walk("/categories", "limit=1", pagesMax)) {
      const page = seen.categories();
      assert(page.length <= 1, "one on a page", String(page.length));
      met.push(...page);
      pages++;
    }
    expectAscending(met, "categories of all pages");
    const found = lasting(met);
    expectIds(found, all.slice(0, pages < pagesMax ? all.length : found.length));
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

/** Negative, so that the number after the largest stays what it is for others. */
const newId = (caller: Caller): bigint => -caller.unusedId();

async function create(caller: Caller, body: string) {
  const seen = await caller.post("/categories", body);
  if (seen.status !== 403) return seen;
  seen.error(403, "insufficient_scope");
  throw new NotApplicable("The key lacks the scope categories:write.");
}

async function addCategory(caller: Caller): Promise<Category> {
  const body = `{"id":${newId(caller)},"name":"${caller.newName("category")}"}`;
  return (await create(caller, body)).category(201);
}

const path = ({ id }: Pick<Category, "id">): string => `/categories/${id}`;

const rename = (caller: Caller, category: Pick<Category, "id">, name: string) =>
  caller.send("PATCH", path(category), { body: { name } });

async function expectListed(caller: Caller, { id, name }: Category, listed = true): Promise<void> {
  for await (const seen of caller.walk("/categories", "limit=100", pagesMax)) {
    const found = seen.categories().find((category) => category.id === id);
    if (found === undefined) continue;
    const fits = listed && found.name === name;
    return assert(fits, listed ? name : `no category ${id}`, found.name);
  }
  assert(!listed, `category ${id} in the list`, "none");
}

const refusedBodies: Readonly<Record<string, readonly [body: string, names: string]>> = {
  "name-missing": ['{"id":ID}', "name"],
  "name-number": ['{"id":ID,"name":5}', "name"],
  "name-blank": ['{"id":ID,"name":"  "}', "name"],
  "id-string": ['{"id":"ID","name":"NAME"}', "id"],
};

const writing: readonly Check[] = [
  createCheck(
    "category-create",
    "A category is created with the id and name that were sent, and listed.",
    async (caller) => {
      const [id, name] = [newId(caller), caller.newName("category")];
      const seen = await create(caller, `{"id":${id},"name":"${name}"}`);
      const category = seen.category(201);
      assert(category.id === id && category.name === name, `category ${id}, ${name}`, seen.shown);
      caller.rebased(seen.header("location"), path(category));
      await expectListed(caller, category);
    },
  ),
  createCheck(
    "category-create-next",
    "Without an id, a category gets a number after all others.",
    async (caller) => {
      const own = await addCategory(caller);
      const others = lasting((await caller.get("/categories?limit=100")).categories());
      const largest = others.at(-1)?.id ?? own.id;
      const body = JSON.stringify({ name: caller.newName("category") });
      const { id } = (await create(caller, body)).category(201);
      assert(id > largest, `more than ${largest}`, `${id}`);
    },
  ),
  ...Object.entries(refusedBodies).map(([what, [body, names]]) =>
    check("openapi: /components/schemas/CategoryToCreate")(
      `category-${what}-refused`,
      `The category ${body} is refused with 400, naming ${names}.`,
      async (caller) => {
        const filled = body.replace("ID", `${newId(caller)}`).replace("NAME", caller.newName());
        (await create(caller, filled)).expectNamed("body_invalid", names);
      },
    ),
  ),
  takenCheck("category-id-taken-409", "An id that is taken is refused.", async (caller) => {
    const category = await addCategory(caller);
    const body = `{"id":${category.id},"name":"${caller.newName("category")}"}`;
    (await create(caller, body)).error(409, "category_taken");
    await expectListed(caller, category);
  }),
  takenCheck("category-name-taken-409", "A name that is taken is refused.", async (caller) => {
    const { name } = await addCategory(caller);
    const seen = await create(caller, `{"id":${newId(caller)},"name":"${name}"}`);
    seen.error(409, "category_taken");
  }),
  takenCheck(
    "category-rename-taken-409",
    "Renaming to a taken name is refused.",
    async (caller) => {
      const [category, other] = [await addCategory(caller), await addCategory(caller)];
      (await rename(caller, category, other.name)).error(409, "category_taken");
      await expectListed(caller, category);
    },
  ),
  updateCheck("category-rename", "A category gets another name.", async (caller) => {
    const category = await addCategory(caller);
    for (const contentType of ["application/json", "application/merge-patch+json"]) {
      const name = caller.newName("renamed");
      const sent = { body: { name }, contentType };
      const seen = await caller.send("PATCH", path(category), sent);
      const renamed = seen.category();
      assert(renamed.id === category.id && renamed.name === name, name, seen.shown);
      await expectListed(caller, renamed);
    }
  }),
  updateCheck(
    "category-rename-other-id-refused",
    "A renaming with another id is refused with 400, naming id; with the same id it is not.",
    async (caller) => {
      const category = await addCategory(caller);
      const send = (id: bigint) => {
        const body = `{"id":${id},"name":${JSON.stringify(category.name)}}`;
        return caller.send("PATCH", path(category), { body });
      };
      (await send(category.id + 1n)).expectNamed("body_invalid", "id");
      await expectListed(caller, category);
      (await send(category.id)).category();
    },
  ),
  deleteCheck(
    "category-delete",
    "A deleted category is answered 204 without a body, then 404, and listed no more.",
    async (caller) => {
      const category = await addCategory(caller);
      const seen = await caller.send("DELETE", path(category));
      seen.expectStatus(204);
      assert(seen.text === "", "no body", seen.shown);
      await expectListed(caller, category, false);
      (await caller.send("DELETE", path(category))).error(404, "category_not_found");
    },
  ),
  check("openapi: /components/responses/CategoryInUse")(
    "category-in-use-409",
    "A category cannot be deleted as long as a pet has it: 409.",
    async (caller) => {
      const category = await addCategory(caller);
      const body = `{"name":"${caller.newName()}","categoryId":${category.id}}`;
      const pet = (await caller.post("/pets", body)).pet(201);
      (await caller.send("DELETE", path(category))).error(409, "category_in_use");
      await expectListed(caller, category);
      (await caller.send("DELETE", `/pets/${pet.id}`)).expectStatus(204);
      (await caller.send("DELETE", path(category))).expectStatus(204);
    },
  ),
  check("openapi: /components/responses/CategoryNotFound")(
    "category-unknown-404",
    "To rename or delete a category that is not there is answered 404.",
    async (caller) => {
      await addCategory(caller);
      const unknown = { id: newId(caller) };
      const renamed = await rename(caller, unknown, caller.newName("category"));
      renamed.error(404, "category_not_found");
      (await caller.send("DELETE", path(unknown))).error(404, "category_not_found");
    },
  ),
  check("openapi: /components/securitySchemes/apiKey")(
    "category-writes-need-key",
    "Creating, renaming and deleting categories needs a key.",
    async (caller) => {
      const sent = { authorization: null, body: "{}" };
      (await caller.send("POST", "/categories", sent)).error(401);
      (await caller.send("PATCH", "/categories/1", sent)).error(401);
      const deletion = { authorization: null };
      (await caller.send("DELETE", path({ id: newId(caller) }), deletion)).error(401);
    },
  ),
];

export const categories: readonly Check[] = [...listing, ...writing];
