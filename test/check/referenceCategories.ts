/** The categories of the reference. */
import { idOf, integerOf, isName, type Members, type Plain, Refusal } from "./reading.ts";

interface Category {
  readonly id: bigint;
  name: string;
}

export function referenceCategories(
  has: (inside: string) => boolean,
  base: () => string,
  isUsed: (id: bigint) => boolean,
) {
  const all: Category[] = [1n, 3n, 4n].map((id) => ({ id, name: `Category ${id}` }));
  const text = ({ id, name }: Category) => `{"id":${id},"name":${JSON.stringify(name)}}`;

  function nameOf({ name }: Members, own?: Category): string {
    if (!isName(name, false) && !has("any category name")) {
      throw new Refusal("body_invalid", "Wrong: name.");
    }
    const others = all.filter((each) => each !== own);
    const taken = others.some((each) => each.name === name) && !has("names categories twice");
    if (taken) throw new Refusal("category_taken", "Another has this name.");
    return String(name);
  }

  function under(id: string): Category {
    const found = all.find((category) => category.id === idOf(id));
    if (found === undefined) throw new Refusal("category_not_found", "No such category.");
    return found;
  }

  function create(body: Members): Plain {
    const given = body["id"] === undefined ? undefined : integerOf(body["id"]);
    if (body["id"] !== undefined && given === undefined && !has("any category id")) {
      throw new Refusal("body_invalid", "Wrong: id.");
    }
    const id = given ?? (has("counts from 0") ? -1n : (all.at(-1)?.id ?? 0n)) + 1n;
    if (all.some((category) => category.id === id) && !has("takes ids twice")) {
      throw new Refusal("category_taken", "Another has this id.");
    }
    const category = { id, name: nameOf(body) };
    if (!has("forgets categories")) all.push(category);
    all.sort((a, b) => (a.id < b.id ? -1 : 1));
    const headers = { location: `${base()}/categories/${id}` };
    return { status: 201, body: text(category), headers };
  }

  function rename(id: string, body: Members): Plain {
    const category = under(id);
    const given = body["id"] === undefined ? category.id : integerOf(body["id"]);
    if (given !== category.id && !has("renames whatever the id")) {
      throw new Refusal("body_invalid", "Wrong: id.");
    }
    const name = nameOf(body, category);
    if (!has("forgets new names")) category.name = name;
    return { status: 200, body: text({ id: category.id, name }) };
  }

  function remove(id: string): Plain {
    const category = under(id);
    if (isUsed(category.id) && !has("removes used")) {
      throw new Refusal("category_in_use", "A pet has it.");
    }
    if (!has("keeps categories")) all.splice(all.indexOf(category), 1);
    return { status: 204, body: "" };
  }

  return { all, text, create, rename, remove };
}
