/** The categories, as the operator changes them. */
import { pageSizeMax } from "../petstore/catalogue/catalogue.ts";
import type { Category, CategoryStore } from "../petstore/catalogue/categories.ts";
import type { Command } from "./command.ts";
import { CommandFailure } from "./errors.ts";
import { readInt64, readName } from "./readText.ts";
import { listReport } from "./table.ts";
import { withNewStores, withStores } from "./withStores.ts";

const nameLengthMax = 255;

const listCategories: Command = {
  name: "categories list",
  summary: "List the categories",
  examples: ["petstore categories list"],
  async run(_call, context) {
    const categories = await withStores(context, (stores) => all(stores.categories));
    return listReport(categories, {
      columns: { Id: ({ id }) => String(id), Name: ({ name }) => name },
      empty: "There are no categories yet. Add one with petstore categories add <name>.",
    });
  },
};

const addCategory: Command = {
  name: "categories add",
  summary: "Add a category",
  operands: { "<name>": `Its name, 1 to ${nameLengthMax} characters` },
  options: {
    "id <id>": "The id to give it, a negative one as --id=-5 (default: one more than the largest)",
  },
  about: "Neither the id nor the name may be another category's. Pets refer to the id.",
  examples: ["petstore categories add Dogs", 'petstore categories add "Guinea pigs" --id 12'],
  async run(call, context) {
    const name = readName("<name>", call.operand, nameLengthMax);
    const typedId = call.values.get("id");
    const id = typedId === undefined ? undefined : readInt64("--id", typedId);
    const { result: outcome, made } = await withNewStores(call, context, ({ categories }) =>
      categories.add(name, id),
    );
    if (outcome.kind === "taken") throw new CommandFailure(takenText(outcome.by, id));
    if (outcome.kind === "no_id_left") {
      throw new CommandFailure("The largest id is taken. Nothing was added. Choose a free --id.");
    }
    if (outcome.kind === "mismatch") throw new Error("A command has no idempotency key.");
    return {
      json: { id: outcome.id, name, ...made },
      text: `Added the category "${name}" (${outcome.id}).\n`,
    };
  },
};

const renameCategory: Command = {
  name: "categories rename",
  summary: "Give a category another name",
  operands: {
    "<id>": "The category; a negative id goes behind --, as in -- -5 Snakes",
    "<name>": `The new name, 1 to ${nameLengthMax} characters`,
  },
  about: "No pet changes.",
  examples: ["petstore categories rename 3 Hounds"],
  async run({ operand, second }, context) {
    const id = readInt64("<id>", operand);
    const name = readName("<name>", second, nameLengthMax);
    const outcome = await withStores(context, ({ categories }) => categories.rename(id, name));
    if (outcome.kind === "no_such_category") throw noSuchCategory(id);
    if (outcome.kind === "taken") {
      throw new CommandFailure(
        `The name "${name}" is taken by the category ${outcome.by.id}. Nothing changed.`,
      );
    }
    return { json: { id, name }, text: `Renamed the category ${id} to "${name}".\n` };
  },
};

const removeCategory: Command = {
  name: "categories remove",
  summary: "Remove a category; pets keep its id",
  operands: { "<id>": "The category; a negative id goes behind --, as in -- -5" },
  about:
    "No pet changes. Where the service takes known categories only (PETSTORE_ENFORCE_CATEGORIES=on),\nit refuses new pets of this one from now on.",
  examples: ["petstore categories remove 12", "petstore categories remove -- -5"],
  async run({ operand }, context) {
    const id = readInt64("<id>", operand);
    const { kind } = await withStores(context, ({ categories }) => categories.remove(id));
    if (kind === "no_such_category") throw noSuchCategory(id);
    return {
      json: { id },
      text: `Removed the category ${id}. Pets that refer to it keep the id.\n`,
    };
  },
};

/** There are as many as the operator typed in, so they fit in memory. */
async function all(store: CategoryStore): Promise<Category[]> {
  const found: Category[] = [];
  let after: bigint | undefined;
  do {
    const page = await store.list({ after, limit: pageSizeMax });
    found.push(...page.categories);
    after = page.next;
  } while (after !== undefined);
  return found;
}

function noSuchCategory(id: bigint): CommandFailure {
  return new CommandFailure(`No category has the id ${id}. See petstore categories list.`);
}

function takenText(by: Category, id: bigint | undefined): string {
  return by.id === id
    ? `The id ${id} is taken by the category "${by.name}". Nothing was added. Choose another id, or leave --id out.`
    : `The name "${by.name}" is taken by the category ${by.id}. Nothing was added.`;
}

/** In the order of the help. */
export const categoriesCommands: readonly Command[] = [
  listCategories,
  addCategory,
  renameCategory,
  removeCategory,
];
