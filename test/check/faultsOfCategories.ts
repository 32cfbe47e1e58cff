/** Faults in creating, renaming and deleting categories. */
import type { Caught } from "./faults.ts";
import { withKey } from "./tamper.ts";

export const faultsOfCategories: readonly Caught[] = [
  {
    name: "a category is not stored",
    inside: "forgets categories",
    caughtBy: ["category-create", "category-id-taken-409", "category-name-taken-409"],
    andMore: true,
  },
  {
    name: "a new category has no Location",
    answered: (answered, { path }) => {
      if (path === "/categories") answered.headers.delete("location");
    },
    caughtBy: ["category-create"],
  },
  {
    name: "categories are numbered from the beginning",
    inside: "counts from 0",
    caughtBy: ["category-create-next"],
  },
  {
    name: "two categories have one id",
    inside: "takes ids twice",
    caughtBy: ["category-id-taken-409"],
  },
  {
    name: "two categories have one name",
    inside: "names categories twice",
    caughtBy: ["category-name-taken-409", "category-rename-taken-409"],
  },
  {
    name: "the name of a category is not checked",
    inside: "any category name",
    caughtBy: [
      "category-name-missing-refused",
      "category-name-number-refused",
      "category-name-blank-refused",
    ],
  },
  {
    name: "the id of a category is not checked",
    inside: "any category id",
    caughtBy: ["category-id-string-refused"],
  },
  {
    name: "a renaming ignores the id",
    inside: "renames whatever the id",
    caughtBy: ["category-rename-other-id-refused"],
  },
  {
    name: "the new name of a category is not stored",
    inside: "forgets new names",
    caughtBy: ["category-rename"],
  },
  {
    name: "a deleted category stays",
    inside: "keeps categories",
    caughtBy: ["category-delete"],
  },
  {
    name: "a category that a pet has is deleted",
    inside: "removes used",
    caughtBy: ["category-in-use-409"],
  },
  {
    name: "an unknown category is answered 400",
    answered: (answered, { path }) => {
      if (answered.status !== 404 || !path.startsWith("/categories/")) return;
      answered.status = 400;
      answered.body = answered.body.replace("404", "400");
    },
    caughtBy: ["category-delete", "category-unknown-404"],
  },
  {
    name: "no key is needed to change categories",
    asked: (asked) => {
      if (asked.method !== "GET" && asked.path.startsWith("/categories")) withKey(asked);
    },
    caughtBy: ["category-writes-need-key"],
  },
];
