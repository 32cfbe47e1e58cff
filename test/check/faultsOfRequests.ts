/** Faults in reading the fields of a request. */
import type { Caught } from "./faults.ts";
import { referenceKey } from "./referenceService.ts";
import { withKey, without } from "./tamper.ts";

export const faultsOfRequests: readonly Caught[] = [
  {
    name: "a body without a media type is taken for JSON",
    asked: ({ headers }) =>
      headers.has("content-type") || headers.set("content-type", "application/json"),
    caughtBy: ["media-none-refused"],
  },
  {
    name: "any media type is taken for JSON",
    asked: ({ headers }) => headers.set("content-type", "application/json"),
    caughtBy: [
      "error-415-exact",
      "error-415-code",
      "media-none-refused",
      "media-text-refused",
      "media-xml-refused",
      "media-form-refused",
      "media-latin1-refused",
      "update-media-text-refused",
    ],
  },
  {
    name: "a charset is refused",
    asked: ({ headers }) =>
      headers.get("content-type")?.includes("utf-8") && headers.set("content-type", "text/plain"),
    caughtBy: ["media-charset-accepted"],
  },
  {
    name: "any key will do",
    asked: (asked) => asked.headers.has("authorization") && withKey(asked),
    caughtBy: [
      "auth-wrong-listPets",
      "auth-wrong-createPet",
      "auth-wrong-getPet",
      "auth-wrong-challenged",
      "auth-malformed-basic",
      "auth-malformed-no-token",
      "auth-malformed-two-tokens",
      "auth-malformed-no-scheme",
      "auth-malformed-longer-key",
    ],
  },
  {
    name: "no key is needed to read",
    asked: (asked) =>
      asked.method === "GET" && !asked.headers.has("authorization") && withKey(asked),
    caughtBy: [
      "auth-missing-listPets",
      "auth-missing-getPet",
      "answers-are-json",
      "auth-missing-challenged",
      "auth-before-path",
      "error-401-exact",
      "error-401-code",
      "error-request-id",
      "head-refusals",
      "problem-401",
      "orders-need-key",
      "categories-need-key",
      "events-need-key",
    ],
  },
  {
    name: "a key without a scheme is taken",
    asked: (asked) => asked.headers.get("authorization") === referenceKey && withKey(asked),
    caughtBy: ["auth-malformed-no-scheme"],
  },
  {
    name: "the scheme is case-sensitive",
    asked: without("authorization", (value) => /^(?:bearer|BEARER) /.test(value)),
    caughtBy: ["auth-scheme-lower-case", "auth-scheme-upper-case"],
  },
  {
    name: "an unknown path needs no key",
    asked: (asked) => asked.path.startsWith("/petstore-check") && withKey(asked),
    caughtBy: ["auth-before-path"],
  },
  {
    name: "Prefer is ignored",
    asked: without("prefer"),
    caughtBy: [
      "strict-parameter-refused",
      "strict-events-parameter-refused",
      "strict-get-parameter-refused",
      "strict-member-refused",
      "strict-applied",
      "update-strict-member-refused",
      "count-pets",
      "count-orders",
      "count-categories",
      "count-and-strict",
    ],
  },
  {
    name: "everything is strict",
    asked: ({ headers }) => headers.set("prefer", "handling=strict"),
    caughtBy: [
      "lenient-not-applied",
      "lenient-parameter-ignored-default",
      "lenient-parameter-ignored-asked",
      "lenient-member-ignored",
      "update-unknown-member",
      "count-pets",
      "count-orders",
      "count-categories",
      "count-on-request",
      "count-and-strict",
    ],
  },
  {
    name: "Idempotency-Key is ignored",
    asked: without("idempotency-key"),
    caughtBy: [
      "replay-same-pet",
      "replay-told",
      "replay-stores-once",
      "replay-at-once",
      "mismatch-body-422",
      "mismatch-operation-422",
      "key-255-accepted",
      "key-256-refused",
      "key-space-refused",
      "replay-order",
      "replay-approve",
      "mismatch-order-422",
      "replay-update",
      "replay-delete",
      "replay-cancel",
      "event-none-repeated",
    ],
  },
  {
    name: "a long Idempotency-Key is cut",
    asked: ({ headers }) => {
      const key = headers.get("idempotency-key");
      if (key !== null) headers.set("idempotency-key", key.slice(0, 255));
    },
    caughtBy: ["key-256-refused"],
  },
  {
    name: "If-None-Match is ignored",
    asked: without("if-none-match"),
    caughtBy: [
      "unchanged-list-304",
      "unchanged-pet-304",
      "unchanged-head-304",
      "if-none-match-star",
      "if-none-match-several",
      "if-none-match-weak",
      "events-304",
    ],
  },
  {
    name: "If-None-Match knows no *",
    asked: without("if-none-match", (value) => value === "*"),
    caughtBy: ["if-none-match-star"],
  },
  {
    name: "If-None-Match knows no lists",
    asked: without("if-none-match", (value) => value.includes(",")),
    caughtBy: ["if-none-match-several"],
  },
  {
    name: "ETags are compared strongly",
    asked: without("if-none-match", (value) => value.startsWith("W/")),
    caughtBy: ["if-none-match-weak"],
  },
  {
    name: "problem+json is not known",
    asked: without("accept", (types) => types.includes("problem+json")),
    caughtBy: [
      "problem-400",
      "problem-401",
      "problem-404",
      "problem-405",
      "problem-type",
      "problem-among-others",
    ],
  },
  {
    name: "problem+json only when nothing else is accepted",
    asked: without("accept", (value) => value.includes(",")),
    caughtBy: ["problem-among-others"],
  },
  {
    name: "problem+json for everybody",
    asked: ({ headers }) => headers.set("accept", "application/problem+json"),
    caughtBy: ["problem-not-for-json", "problem-not-for-any", "problem-not-for-both"],
    andMore: true,
  },
  {
    name: "problem+json wherever it is named",
    asked: ({ headers }) => {
      const problem = "application/problem+json";
      if (headers.get("accept")?.includes(problem)) headers.set("accept", problem);
    },
    caughtBy: ["problem-not-for-both"],
  },
  {
    name: "CORS is not known",
    asked: without("origin"),
    caughtBy: [
      "cors-preflight-basic",
      "cors-preflight-prefer",
      "cors-preflight-conditional",
      "cors-preflight-idempotency",
      "cors-preflight-updates",
      "cors-preflight-deletions",
      "cors-get",
      "cors-refusal",
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
];
