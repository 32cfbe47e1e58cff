/** Faults in updating and deleting pets. */
import type { Caught } from "./faults.ts";
import type { Asked } from "./referenceService.ts";
import { drop, set, status, when, withKey, without } from "./tamper.ts";

const isUpdate = (_: unknown, { method }: Asked) => method === "PATCH";
const ofUpdate = (type: string) => (asked: Asked) => {
  if (asked.method !== "PATCH" || asked.headers.get("content-type") !== type) return;
  asked.headers.set("content-type", "text/plain");
};

export const faultsOfUpdates: readonly Caught[] = [
  {
    name: "an update resets the status that it does not name",
    inside: "puts",
    caughtBy: ["update-name", "update-category", "update-unknown-member", "update-name-reserved"],
  },
  {
    name: "an update is not stored",
    inside: "forgets updates",
    caughtBy: [
      "replay-update",
      "update-name",
      "update-category",
      "update-status",
      "update-status-null",
      "update-several",
      "update-unknown-member",
      "update-name-reserved",
      "if-match-of-update",
      "if-match-stale-412",
      "if-match-race",
      "filter-follows-update",
      "event-pet",
    ],
  },
  {
    name: "a status of null leaves it as it is",
    inside: "keeps null",
    caughtBy: ["update-status-null"],
  },
  {
    name: "an update of nothing is taken",
    inside: "empty patches",
    caughtBy: ["update-empty-refused", "update-nothing-known-refused"],
  },
  {
    name: "an update that is no object is taken for one",
    asked: (asked) => {
      const body = new TextDecoder().decode(asked.body);
      if (asked.method !== "PATCH" || !/^(?:\[|null$)/.test(body)) return;
      asked.body = new TextEncoder().encode('{"status":"sold"}');
    },
    caughtBy: ["update-array-refused", "update-null-refused"],
  },
  {
    name: "another id in an update is ignored",
    inside: "any id",
    caughtBy: ["update-other-id-refused"],
  },
  { name: "an id in an update is refused", inside: "no id", caughtBy: ["update-same-id"] },
  {
    name: "the name of an update is not checked",
    inside: "any name",
    caughtBy: [
      "update-name-null-refused",
      "update-name-number-refused",
      "update-name-blank-refused",
      "event-none-refused",
    ],
  },
  {
    name: "the category of an update is not checked",
    inside: "any categoryId",
    caughtBy: [
      "update-category-null-refused",
      "update-category-string-refused",
      "update-category-fraction-refused",
    ],
  },
  {
    name: "the status of an update is not checked",
    inside: "any status",
    caughtBy: ["update-status-unknown-refused", "update-status-number-refused"],
  },
  {
    name: "of an update that is refused, what fits is stored",
    inside: "stores halves",
    caughtBy: [
      "update-other-id-refused",
      "update-name-null-refused",
      "update-name-number-refused",
      "update-name-blank-refused",
      "update-category-null-refused",
      "update-category-string-refused",
      "update-category-fraction-refused",
      "update-status-unknown-refused",
      "update-status-number-refused",
    ],
  },
  {
    name: "an update must be a merge patch",
    asked: ofUpdate("application/json"),
    caughtBy: [
      "replay-update",
      "update-as-json",
      "filter-follows-update",
      "category-rename-taken-409",
      "category-rename",
      "category-rename-other-id-refused",
      "category-unknown-404",
    ],
  },
  {
    name: "merge patches are not known",
    asked: ofUpdate("application/merge-patch+json"),
    caughtBy: ["update-name"],
    andMore: true,
  },
  {
    name: "415 does not say what is taken",
    answered: drop("accept-patch"),
    caughtBy: ["update-media-text-refused"],
  },
  {
    name: "an unknown pet is created by its update",
    answered: when(
      (answered, asked) => isUpdate(answered, asked) && answered.status === 404,
      (answered) => {
        answered.status = 201;
      },
    ),
    caughtBy: ["update-unknown-404", "delete-gone", "category-unknown-404"],
  },
  {
    name: "a pet on order can be sold by an update",
    inside: "sells reserved",
    caughtBy: ["update-status-reserved-409"],
  },
  {
    name: "a pet on order cannot be renamed",
    inside: "reserves names",
    caughtBy: ["update-name-reserved"],
  },
  {
    name: "If-Match is ignored",
    asked: without("if-match"),
    caughtBy: [
      "if-match-stale-412",
      "if-match-malformed-400",
      "if-match-race",
      "event-none-refused",
    ],
  },
  {
    name: "If-Match is ignored where it is malformed",
    asked: without("if-match", (value) => value === "unquoted"),
    caughtBy: ["if-match-malformed-400"],
  },
  {
    name: "If-Match knows no *",
    asked: ({ headers }) => headers.get("if-match") === "*" && headers.set("if-match", '"*"'),
    caughtBy: ["if-match-star"],
  },
  {
    name: "If-Match knows no lists",
    asked: ({ headers }) => {
      const [first, second] = headers.get("if-match")?.split(", ") ?? [];
      if (first !== undefined && second !== undefined) headers.set("if-match", first);
    },
    caughtBy: ["if-match-several"],
  },
  {
    name: "the ETag of a list is none of its pet",
    inside: "tag of get only",
    caughtBy: [
      "if-match-current",
      "if-match-several",
      "if-match-of-update",
      "if-match-race",
      "delete-if-match",
    ],
  },
  {
    name: "the ETag of a pet is none for If-Match",
    answered: when(
      (_, { method, path }) => method === "GET" && path.startsWith("/pets/"),
      set("etag", '"another"'),
    ),
    caughtBy: ["if-match-of-get", "unchanged-pet-304"],
    andMore: true,
  },
  {
    name: "an update has no ETag",
    answered: when(isUpdate, drop("etag")),
    caughtBy: ["if-match-of-update"],
  },
  {
    name: "a deletion is answered 200 with a body",
    answered: when(status(204), (answered, { method }) => {
      if (method === "DELETE") Object.assign(answered, { status: 200, body: "{}" });
    }),
    caughtBy: [
      "replay-delete",
      "delete-204",
      "delete-gone",
      "delete-twice-404",
      "delete-if-match",
      "delete-keeps-orders",
      "category-delete",
      "category-in-use-409",
      "event-pet",
    ],
  },
  {
    name: "a deleted pet stays",
    inside: "removes nothing",
    caughtBy: ["delete-gone", "delete-twice-404", "category-in-use-409"],
  },
  {
    name: "what is not there is deleted",
    answered: when(status(404), (answered, { method }) => {
      if (method === "DELETE") Object.assign(answered, { status: 204, body: "" });
    }),
    caughtBy: ["delete-twice-404", "category-delete", "category-unknown-404"],
  },
  {
    name: "a pet on order can be deleted",
    inside: "removes reserved",
    caughtBy: ["delete-reserved-409"],
  },
  {
    name: "a deletion takes the orders along",
    inside: "removes orders",
    caughtBy: ["delete-keeps-orders"],
  },
  {
    name: "no key is needed to update",
    asked: (asked) => /^(?:PATCH|DELETE)$/.test(asked.method) && withKey(asked),
    caughtBy: ["updates-need-key", "auth-before-method", "category-writes-need-key"],
  },
];
