/** Faults of the store and its rules. */
import type { Caught } from "./faults.ts";

export const faultsOfRules: readonly Caught[] = [
  {
    name: "a page skips one",
    inside: "skips one",
    caughtBy: [
      "page-walk-meets-each-once",
      "page-walk-keeps-status",
      "page-limit-may-change",
      "cursor-same-ids-otherwise-written",
      "orders-walk",
      "categories-page",
      "filters-walk",
      "events-page",
    ],
  },
  {
    name: "a page repeats one",
    inside: "repeats one",
    caughtBy: [
      "page-walk-meets-each-once",
      "page-walk-keeps-status",
      "page-walk-everything",
      "page-limit-may-change",
      "cursor-same-ids-otherwise-written",
      "orders-walk",
      "categories-page",
      "filters-walk",
    ],
  },
  {
    name: "a full last page has a Link",
    inside: "link on last",
    caughtBy: ["page-exact-no-link", "etag-covers-link"],
  },
  {
    name: "a cursor is bound to no filter",
    inside: "cursor of any list",
    caughtBy: [
      "cursor-moved-to-status-refused",
      "cursor-moved-to-ids-refused",
      "orders-cursor-bound",
      "orders-cursor-of-pets-refused",
      "filters-cursor-bound",
      "events-cursor-of-others-refused",
    ],
  },
  {
    name: "a cursor is not sealed",
    inside: "any cursor",
    caughtBy: [
      "cursor-made-up-refused",
      "cursor-damaged-refused",
      "cursor-moved-to-status-refused",
      "cursor-moved-to-ids-refused",
      "orders-cursor-bound",
      "orders-cursor-of-pets-refused",
      "filters-cursor-bound",
      "events-cursor-of-others-refused",
    ],
  },
  {
    name: "a status left out stays out",
    inside: "no default",
    caughtBy: ["create-status-defaults", "pets-have-status", "mismatch-operation-422", "event-pet"],
  },
  {
    name: "what is refused is stored",
    inside: "stores refused",
    caughtBy: ["refusal-stores-nothing"],
    andMore: true,
  },
  {
    name: "unknown members are kept",
    inside: "keeps strangers",
    caughtBy: ["lenient-member-ignored"],
  },
  {
    name: "names are counted in code units",
    inside: "code units",
    caughtBy: ["create-name-255-emoji-kept"],
  },
  { name: "bad UTF-8 is patched up", inside: "utf8", caughtBy: ["body-invalid-utf8-refused"] },
  { name: "two buyers get one pet", inside: "double sale", caughtBy: ["order-race"] },
  {
    name: "an ordered pet stays available",
    inside: "stays available",
    caughtBy: [
      "etag-changes",
      "etag-covers-link",
      "order-makes-pending",
      "order-second-409",
      "order-race",
      "order-approve",
      "update-status-reserved-409",
      "update-name-reserved",
      "delete-reserved-409",
      "order-cancel-leaves-next",
      "event-pet-of-order",
      "event-none-repeated",
    ],
  },
  {
    name: "a delivered pet is not sold",
    inside: "never sold",
    caughtBy: ["order-deliver", "event-pet-of-order"],
  },
  {
    name: "an order is delivered unapproved",
    inside: "skips approval",
    caughtBy: ["order-deliver-when-placed-409"],
  },
  {
    name: "an order is approved twice",
    inside: "approves twice",
    caughtBy: ["order-approve-when-approved-409"],
  },
  {
    name: "a cancellation approves",
    asked: (asked) => {
      if (asked.path.endsWith("/cancel")) asked.path = asked.path.replace("cancel", "approve");
    },
    caughtBy: ["order-cancel-when-placed", "order-cancel-when-approved"],
    andMore: true,
  },
  {
    name: "the pet of a cancelled order stays pending",
    inside: "keeps cancelled",
    caughtBy: [
      "order-cancel-when-placed",
      "order-cancel-when-approved",
      "order-cancel-leaves-next",
      "orders-of-pet",
      "count-orders",
      "event-none-repeated",
    ],
  },
  {
    name: "an order is cancelled after delivery",
    inside: "cancels delivered",
    caughtBy: ["order-cancel-when-delivered-409"],
  },
  {
    name: "an order is cancelled twice",
    inside: "cancels cancelled",
    caughtBy: ["order-cancel-when-cancelled-409", "order-cancel-leaves-next"],
  },
  {
    name: "a cancelled order goes on",
    inside: "revives cancelled",
    caughtBy: ["order-approve-when-cancelled-409", "order-deliver-when-cancelled-409"],
  },
  {
    name: "a replay stores again",
    inside: "stores replays",
    caughtBy: [
      "replay-stores-once",
      "mismatch-operation-422",
      "replay-order",
      "replay-approve",
      "replay-update",
      "replay-delete",
      "replay-cancel",
      "event-none-repeated",
    ],
  },
  {
    name: "a replay with another body is not noticed",
    inside: "ignores mismatch",
    caughtBy: ["mismatch-body-422", "mismatch-operation-422", "mismatch-order-422"],
  },
  {
    name: "an Idempotency-Key is not bound to a path",
    inside: "key without path",
    caughtBy: ["mismatch-order-422"],
  },
  {
    name: "the ETag does not cover the Link",
    inside: "etag of body",
    caughtBy: ["etag-covers-link"],
  },
];
