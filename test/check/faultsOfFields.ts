/** Faults in the fields of answers. */
import type { Caught } from "./faults.ts";
import { drop, isAddition, isError, isList, isPet, set, status, unlist, when } from "./tamper.ts";

export const faultsOfFields: readonly Caught[] = [
  {
    name: "a list says text/plain",
    answered: when(isList, set("content-type", "text/plain")),
    caughtBy: ["answers-are-json"],
    andMore: true,
  },
  {
    name: "Location is missing",
    answered: when(isAddition, drop("location")),
    caughtBy: ["create-location"],
  },
  {
    name: "Location is relative",
    answered: when(isAddition, ({ headers }) =>
      headers.set("location", new URL(headers.get("location") ?? "").pathname),
    ),
    caughtBy: ["create-location"],
  },
  {
    name: "Location is that of another pet",
    answered: when(isAddition, ({ headers }) =>
      headers.set("location", `${headers.get("location")}0`),
    ),
    caughtBy: ["create-location"],
  },
  {
    name: "401 has no challenge",
    answered: drop("www-authenticate"),
    caughtBy: ["auth-missing-challenged", "auth-wrong-challenged"],
  },
  {
    name: "every challenge speaks of an error",
    answered: when(status(401), set("www-authenticate", 'Bearer error="invalid_token"')),
    caughtBy: ["auth-missing-challenged"],
  },
  {
    name: "no challenge speaks of an error",
    answered: when(status(401), set("www-authenticate", "Bearer")),
    caughtBy: ["auth-wrong-challenged"],
  },
  {
    name: "an error is text",
    answered: when(isError, set("content-type", "text/html")),
    caughtBy: ["answers-are-json"],
    andMore: true,
  },
  {
    name: "errors have no X-Request-Id",
    answered: drop("x-request-id"),
    caughtBy: ["error-request-id", "request-id-repeated"],
  },
  {
    name: "X-Request-Id is always ours",
    answered: when(({ headers }) => headers.has("x-request-id"), set("x-request-id", "r-2")),
    caughtBy: ["request-id-repeated"],
  },
  {
    name: "405 has no Allow",
    answered: drop("allow"),
    caughtBy: ["method-pets-405", "method-pet-405"],
  },
  {
    name: "405 allows what it refuses",
    answered: when(status(405), ({ headers }, { method }) => headers.append("allow", method)),
    caughtBy: ["method-pets-405", "method-pet-405"],
  },
  {
    name: "HEAD has a length of 0",
    answered: (answered, { method }) => {
      if (method === "HEAD") answered.headers.set("content-length", "0");
    },
    caughtBy: [
      ...["head-list", "head-pet", "head-order", "head-events"],
      ...["head-refusals", "head-contract"],
    ],
  },
  {
    name: "HEAD has no ETag",
    answered: ({ headers }, { method }) => {
      if (method === "HEAD") headers.delete("etag");
    },
    caughtBy: [
      ...["head-list", "head-pet", "head-order", "head-events"],
      ...["head-contract", "unchanged-head-304"],
    ],
  },
  {
    name: "Deprecation is missing",
    answered: drop("deprecation"),
    caughtBy: ["get-deprecation", "get-404-announces"],
  },
  {
    name: "Sunset is a year late",
    answered: when(
      ({ headers }) => headers.has("sunset"),
      set("sunset", "Fri, 05 Dec 2031 00:00:00 GMT"),
    ),
    caughtBy: ["get-sunset", "get-404-announces"],
  },
  {
    name: "no successor is named",
    answered: when(isPet, set("link", '</notice>; rel="deprecation sunset"')),
    caughtBy: ["get-successor-works"],
  },
  {
    name: "no notice is linked",
    answered: when(isPet, ({ headers }) =>
      headers.set("link", headers.get("link")?.replace(/^[^,]*,/, "") ?? ""),
    ),
    caughtBy: ["get-notice-linked"],
  },
  {
    name: "the successor finds another pet",
    answered: when(isPet, ({ headers }) =>
      headers.set("link", headers.get("link")?.replace("?id=", "?id=9") ?? ""),
    ),
    caughtBy: ["get-successor-works"],
  },
  {
    name: "refusals of getPet announce nothing",
    answered: when(isError, drop("deprecation", "sunset")),
    caughtBy: ["get-404-announces"],
  },
  {
    name: "lists announce an end",
    answered: when(isList, set("deprecation", "@1793491200")),
    caughtBy: ["list-not-deprecated"],
  },
  {
    name: "Link is relative",
    answered: when(isList, ({ headers }) => {
      const link = headers.get("link");
      if (link) headers.set("link", link.replace(/<https?:\/\/[^/]+/, "<"));
    }),
    caughtBy: ["page-link-absolute"],
  },
  {
    name: "Link forgets limit",
    answered: when(isList, ({ headers }) => {
      const link = headers.get("link");
      if (link) headers.set("link", link.replace(/limit=\d+&/, ""));
    }),
    caughtBy: ["page-walk-meets-each-once", "page-walk-everything", "page-link-absolute"],
  },
  {
    name: "Link forgets status",
    answered: when(isList, ({ headers }) => {
      const link = headers.get("link");
      if (link) headers.set("link", link.replace(/status=\w+&/, ""));
    }),
    caughtBy: ["page-walk-keeps-status"],
  },
  {
    name: "there is no Link",
    answered: when(isList, drop("link")),
    caughtBy: [
      "page-walk-meets-each-once",
      "page-walk-keeps-status",
      "page-walk-everything",
      "page-link-absolute",
      "page-limit-may-change",
      "cursor-damaged-refused",
      "cursor-moved-to-status-refused",
      "cursor-moved-to-ids-refused",
      "cursor-same-ids-otherwise-written",
      "etag-covers-link",
      "orders-cursor-of-pets-refused",
      "filters-walk",
      "filters-cursor-bound",
      "count-pets",
    ],
  },
  {
    name: "ETags are weak",
    answered: ({ headers }) => {
      const tag = headers.get("etag");
      if (tag) headers.set("etag", `W/${tag}`);
    },
    caughtBy: [
      "etag-list",
      "etag-pet",
      "etag-order",
      "etag-events",
      "etag-steady",
      "etag-by-filter",
      "etag-changes",
      "etag-covers-link",
      "unchanged-list-304",
      "unchanged-pet-304",
      "unchanged-head-304",
      "if-none-match-star",
      "if-none-match-several",
      "if-none-match-weak",
      "if-none-match-other",
      "if-match-current",
      "if-match-several",
      "if-match-of-get",
      "if-match-of-update",
      "if-match-stale-412",
      "if-match-race",
      "delete-if-match",
    ],
  },
  {
    name: "the ETag of a list does not depend on its filter",
    asked: ({ headers }) => {
      if (headers.get("if-none-match") === '"list"') headers.set("if-none-match", "*");
    },
    answered: ({ headers }, { path }) => {
      if (headers.has("etag") && path.startsWith("/pets?")) headers.set("etag", '"list"');
    },
    caughtBy: [
      "etag-by-filter",
      "etag-changes",
      "etag-covers-link",
      "if-none-match-several",
      "if-none-match-weak",
      "if-match-current",
      "if-match-several",
      "if-match-of-update",
      "if-match-race",
      "delete-if-match",
    ],
  },
  {
    name: "ETags change each time",
    answered: ({ headers }) => {
      if (headers.has("etag")) headers.set("etag", `"${Bun.nanoseconds()}"`);
    },
    caughtBy: [
      "head-list",
      "head-pet",
      "head-order",
      "head-events",
      "head-contract",
      "etag-steady",
      "unchanged-list-304",
      "unchanged-pet-304",
      "unchanged-head-304",
      "if-none-match-star",
      "if-none-match-several",
      "if-none-match-weak",
      "if-none-match-other",
      "if-match-current",
      "if-match-several",
      "if-match-of-get",
      "if-match-of-update",
      "if-match-race",
      "delete-if-match",
      "events-304",
    ],
  },
  {
    name: "304 has no ETag",
    answered: when(status(304), drop("etag")),
    caughtBy: [
      "unchanged-list-304",
      "unchanged-pet-304",
      "unchanged-head-304",
      "if-none-match-star",
      "if-none-match-several",
      "if-none-match-weak",
    ],
  },
  {
    name: "answers may be stored by anybody",
    answered: ({ headers }) => {
      if (headers.has("etag")) headers.set("cache-control", "public, max-age=60");
    },
    caughtBy: ["cache-control"],
  },
  {
    name: "CORS sends credentials",
    answered: ({ headers }, asked) => {
      if (asked.headers.has("origin")) headers.set("access-control-allow-credentials", "true");
    },
    caughtBy: [
      "cors-preflight-basic",
      "cors-preflight-prefer",
      "cors-preflight-conditional",
      "cors-preflight-idempotency",
      "cors-preflight-updates",
      "cors-preflight-deletions",
      "cors-get",
      "cors-refusal",
    ],
  },
  {
    name: "CORS exposes nothing",
    answered: drop("access-control-expose-headers"),
    caughtBy: [
      "cors-exposes-links",
      "cors-exposes-lifecycle",
      "cors-exposes-caching",
      "cors-exposes-trouble",
      "cors-exposes-idempotency",
      "cors-exposes-rate-limits",
      "cors-exposes-preferences",
      "cors-exposes-updates",
    ],
  },
  {
    name: "refusals cannot be read by pages",
    answered: when(isError, drop("access-control-allow-origin")),
    caughtBy: ["cors-refusal"],
  },
  {
    name: "a preflight does not know Idempotency-Key",
    answered: unlist("access-control-allow-headers", "Idempotency-Key, "),
    caughtBy: ["cors-preflight-idempotency"],
  },
  {
    name: "a preflight does not know If-Match",
    answered: unlist("access-control-allow-headers", "If-Match, "),
    caughtBy: ["cors-preflight-updates", "cors-preflight-deletions"],
  },
  {
    name: "a preflight does not know PATCH",
    answered: unlist("access-control-allow-methods", ", PATCH"),
    caughtBy: ["cors-preflight-updates"],
  },
  {
    name: "a preflight does not know DELETE",
    answered: unlist("access-control-allow-methods", ", DELETE"),
    caughtBy: ["cors-preflight-deletions"],
  },
  {
    name: "CORS does not expose totals",
    answered: unlist("access-control-expose-headers", ", X-Total-Count"),
    caughtBy: ["cors-exposes-preferences"],
  },
  {
    name: "CORS does not expose Accept-Patch",
    answered: unlist("access-control-expose-headers", "Accept-Patch, "),
    caughtBy: ["cors-exposes-updates"],
  },
  {
    name: "Preference-Applied is missing",
    answered: drop("preference-applied"),
    caughtBy: [
      "strict-applied",
      "count-pets",
      "count-orders",
      "count-categories",
      "count-and-strict",
    ],
  },
  {
    name: "Preference-Applied is always there",
    answered: set("preference-applied", "handling=strict"),
    caughtBy: [
      "lenient-not-applied",
      "count-pets",
      "count-orders",
      "count-categories",
      "count-on-request",
      "count-and-strict",
    ],
  },
  {
    name: "a replay does not say so",
    answered: drop("idempotency-replayed"),
    caughtBy: ["replay-told"],
  },
  {
    name: "everything is called a replay",
    answered: set("idempotency-replayed", "true"),
    caughtBy: ["replay-told"],
  },
  {
    name: "a policy without what is left",
    answered: drop("ratelimit"),
    caughtBy: ["rate-limit-fields"],
  },
  {
    name: "rate limits in the form of old",
    answered: set("ratelimit", "limit=100, remaining=99, reset=60"),
    caughtBy: ["rate-limit-fields"],
  },
  {
    name: "a problem has the plain media type",
    answered: when(isError, set("content-type", "application/json")),
    caughtBy: [
      "problem-400",
      "problem-401",
      "problem-404",
      "problem-405",
      "problem-type",
      "problem-among-others",
    ],
  },
];
