/** Faults in filtering and counting. */
import type { Caught } from "./faults.ts";
import type { Asked } from "./referenceService.ts";
import { drop, query } from "./tamper.ts";

const prefers = (change: (prefer: string) => string) => (asked: Asked) => {
  const prefer = asked.headers.get("prefer");
  if (prefer === null) return;
  asked.headers.set("prefer", change(prefer));
};

export const faultsOfFilters: readonly Caught[] = [
  {
    name: "the category filter is ignored",
    asked: query((search) => search.delete("categoryId")),
    caughtBy: ["filter-category"],
    andMore: true,
  },
  {
    name: "of two categories only the first counts",
    asked: query(
      (search) =>
        search.has("categoryId") && search.set("categoryId", search.get("categoryId") ?? ""),
    ),
    caughtBy: ["filter-category-repeated"],
    andMore: true,
  },
  {
    name: "bad categories are dropped from the filter",
    asked: query((search) => {
      const ids = search.getAll("categoryId").filter((id) => /^-?\d{1,18}$/.test(id));
      search.delete("categoryId");
      for (const id of ids.slice(0, 20)) search.append("categoryId", id);
    }),
    caughtBy: [
      "filter-category-word-refused",
      "filter-category-empty-refused",
      "filter-category-beyond-int64-refused",
      "filter-category-one-bad-refused",
      "filter-category-21-refused",
    ],
  },
  {
    name: "the name filter is ignored",
    asked: query((search) => search.delete("name")),
    caughtBy: ["filter-name-prefix"],
    andMore: true,
  },
  {
    name: "bad searches are mended",
    asked: query((search) => {
      const name = search.get("name")?.slice(0, 255);
      if (name === undefined) return;
      const words = (name.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 10);
      if (words.length > 0) search.set("name", words.join(" "));
      else search.delete("name");
    }),
    caughtBy: [
      "filter-name-empty-refused",
      "filter-name-no-word-refused",
      "filter-name-11-words-refused",
      "filter-name-256-refused",
      "filter-name-twice-refused",
    ],
  },
  {
    name: "a search knows case",
    inside: "knows case",
    caughtBy: ["filter-name-case", "filter-name-accents", "filter-name-order"],
  },
  {
    name: "a search knows accents",
    inside: "knows accents",
    caughtBy: ["filter-name-accents", "filter-name-without-accents"],
  },
  { name: "a search finds within words", inside: "finds within", caughtBy: ["filter-name-within"] },
  {
    name: "one word of a search is enough",
    inside: "finds any word",
    caughtBy: ["filter-name-missing"],
    andMore: true,
  },
  {
    name: "a search takes punctuation for letters",
    asked: query((search) => {
      const name = search.get("name");
      if (name?.includes("*")) search.set("name", name.replace("*", "star"));
    }),
    caughtBy: ["filter-name-punctuation", "filter-name-no-word-refused"],
  },
  {
    name: "the words of a search have an order",
    asked: query((search) => {
      const name = search.get("name");
      if (name?.endsWith("purr sir")) search.set("name", name.replaceAll(" ", ""));
    }),
    caughtBy: ["filter-name-order"],
  },
  {
    name: "a Link forgets the category",
    answered: ({ headers }, { path }) => {
      const link = headers.get("link");
      if (link && path.startsWith("/pets?")) {
        headers.set("link", link.replace(/categoryId=\d+&/, ""));
      }
    },
    caughtBy: ["filters-walk", "count-pets"],
  },
  {
    name: "the filter of orders by pet is ignored",
    asked: query((search) => search.delete("petId"), "/store/orders"),
    caughtBy: [
      "orders-of-pet",
      "orders-of-pet-word-refused",
      "orders-of-pet-empty-refused",
      "orders-of-pet-twice-refused",
      "count-orders",
    ],
  },
  {
    name: "counting is not known",
    asked: prefers((prefer) => prefer.replace(/(?:, )?count=exact/, "")),
    caughtBy: ["count-pets", "count-orders", "count-categories", "count-and-strict"],
  },
  {
    name: "everything is counted",
    inside: "counts always",
    caughtBy: ["count-on-request", "lenient-not-applied"],
    andMore: true,
  },
  {
    name: "a count is that of the page",
    inside: "counts pages",
    caughtBy: ["count-pets", "count-orders", "count-and-strict"],
  },
  {
    name: "of two preferences only the first counts",
    asked: prefers((prefer) => prefer.replace(/,.*/, "")),
    caughtBy: ["count-and-strict"],
  },
  {
    name: "a count has no number",
    answered: drop("x-total-count"),
    caughtBy: ["count-pets", "count-orders", "count-categories", "count-and-strict"],
  },
  {
    name: "a search reads names as they were first",
    inside: "searches first names",
    caughtBy: ["filter-follows-update"],
  },
];
