/** Faults in the bodies and statuses of answers. */
import type { Caught } from "./faults.ts";
import {
  isAddition,
  isContract,
  isError,
  isList,
  isPet,
  json,
  status,
  text,
  when,
} from "./tamper.ts";

export const faultsOfAnswers: readonly Caught[] = [
  {
    name: "a list has an envelope",
    answered: when(
      isList,
      text((list) => `{"pets":${list}}`),
    ),
    caughtBy: ["list-bare-array"],
    andMore: true,
  },
  {
    name: "a list is backwards",
    answered: when(
      isList,
      json((list) => list.reverse()),
    ),
    caughtBy: [
      "list-ids-ascending",
      "list-id-filter",
      "page-walk-meets-each-once",
      "page-walk-everything",
      "page-limit-may-change",
      "cursor-same-ids-otherwise-written",
      "filter-category-repeated",
      "filters-combined",
    ],
  },
  {
    name: "ids are strings",
    answered: when(
      isAddition,
      text((pet) => pet.replace(/"id":(\d+)/, '"id":"$1"')),
    ),
    caughtBy: ["create-returns-pet"],
    andMore: true,
  },
  {
    name: "additions are answered 200",
    answered: when(isAddition, (answered) => {
      answered.status = 200;
    }),
    caughtBy: ["create-returns-pet"],
    andMore: true,
  },
  {
    name: "answers go through a double",
    answered: text((body) =>
      body.replace(/(?<=:)-?\d{16,}(?=[,}])/g, (digits) => String(BigInt(Number(digits)))),
    ),
    caughtBy: ["create-category-int64-max"],
    andMore: true,
  },
  {
    name: "401 is answered 403",
    answered: when(status(401), (answered) => {
      answered.status = 403;
      answered.body = answered.body.replace("401", "403");
    }),
    caughtBy: ["auth-missing-listPets", "auth-wrong-listPets"],
    andMore: true,
  },
  {
    name: "an error has a fourth member",
    answered: when(
      isError,
      json((error) => ({ ...error, path: "/" })),
    ),
    caughtBy: [
      "error-400-exact",
      "error-401-exact",
      "error-404-exact",
      "error-405-exact",
      "error-415-exact",
      "problem-400",
      "problem-401",
      "problem-404",
      "problem-405",
    ],
  },
  {
    name: "the status of an error is a string",
    answered: when(
      isError,
      json((error) => ({ ...error, status: String(error.status) })),
    ),
    caughtBy: ["error-400-exact"],
    andMore: true,
  },
  {
    name: "the status of an error is always 400",
    answered: when(
      isError,
      json((error) => ({ ...error, status: 400 })),
    ),
    caughtBy: ["error-404-exact"],
    andMore: true,
  },
  {
    name: "an error has no message",
    answered: when(
      isError,
      json(({ message: _, ...error }) => error),
    ),
    caughtBy: ["error-400-exact"],
    andMore: true,
  },
  {
    name: "codes are in capitals",
    answered: when(
      isError,
      json((error) => ({ ...error, code: error.code.toUpperCase() })),
    ),
    caughtBy: ["error-400-code"],
    andMore: true,
  },
  {
    name: "refusals name no member",
    answered: when(
      status(400),
      json((error) => ({ ...error, message: "Bad request." })),
    ),
    caughtBy: ["refusal-names-all", "list-limit-0-refused"],
    andMore: true,
  },
  {
    name: "an unknown pet is answered 400",
    answered: when(
      (answered, asked) => isPet(answered, asked) && answered.status === 404,
      (answered) => {
        answered.status = 400;
        answered.body = answered.body.replace("404", "400");
      },
    ),
    caughtBy: [
      "get-unknown-404",
      "get-malformed-word-404",
      "get-malformed-leading-zero-404",
      "get-malformed-plus-404",
      "get-malformed-point-404",
      "get-malformed-exponent-404",
      "get-malformed-space-404",
      "get-malformed-minus-zero-404",
      "get-malformed-beyond-int64-404",
      "get-wrapped-id-404",
      "get-404-announces",
      "update-unknown-404",
      "delete-gone",
      "delete-twice-404",
    ],
  },
  {
    name: "an unknown pet is answered with null",
    answered: when(
      (answered, asked) => isPet(answered, asked) && answered.status === 404,
      (answered) => {
        answered.status = 200;
        answered.body = "null";
      },
    ),
    caughtBy: [
      "get-unknown-404",
      "get-malformed-word-404",
      "get-malformed-leading-zero-404",
      "get-malformed-plus-404",
      "get-malformed-point-404",
      "get-malformed-exponent-404",
      "get-malformed-space-404",
      "get-malformed-minus-zero-404",
      "get-malformed-beyond-int64-404",
      "get-wrapped-id-404",
      "get-404-announces",
      "update-unknown-404",
      "delete-gone",
      "delete-twice-404",
    ],
  },
  {
    name: "an unknown path is an unknown pet",
    answered: text((body) => body.replace("path_not_found", "pet_not_found")),
    caughtBy: ["path-unknown-404", "problem-type"],
  },
  {
    name: "405 is answered 404",
    answered: when(status(405), (answered) => {
      answered.status = 404;
      answered.body = answered.body.replace("405", "404");
    }),
    caughtBy: [
      "error-405-exact",
      "error-405-code",
      "method-pets-405",
      "method-pet-405",
      "problem-405",
    ],
  },
  {
    name: "HEAD is not known",
    answered: (answered, { method }) => {
      if (method === "HEAD") answered.status = 405;
    },
    caughtBy: [
      "head-list",
      "head-pet",
      "head-order",
      "head-events",
      "head-refusals",
      "head-contract",
      "unchanged-head-304",
    ],
  },
  {
    name: "a preflight needs a key",
    answered: (answered, { method }) => {
      if (method === "OPTIONS") answered.status = 401;
    },
    caughtBy: [
      "cors-preflight-basic",
      "cors-preflight-prefer",
      "cors-preflight-conditional",
      "cors-preflight-idempotency",
      "cors-preflight-updates",
      "cors-preflight-deletions",
    ],
  },
  {
    name: "a problem has type about:blank",
    answered: when(
      ({ body }) => body.startsWith('{"type"'),
      json((problem) => ({ ...problem, type: "about:blank" })),
    ),
    caughtBy: ["problem-type"],
  },
  {
    name: "placedAt has no zone",
    answered: text((body) => body.replaceAll("12:00:00Z", "12:00:00")),
    caughtBy: ["order-placed"],
    andMore: true,
  },
  {
    name: "the contract needs a key",
    answered: when(isContract, (answered) => {
      answered.status = 401;
    }),
    caughtBy: [
      "contract-public",
      "contract-servers",
      "contract-version",
      "contract-operations",
      "contract-deprecates-get",
    ],
  },
  {
    name: "the servers of the contract have no version",
    answered: when(
      isContract,
      text((body) => body.replaceAll("/v1", "")),
    ),
    caughtBy: ["contract-servers"],
  },
  {
    name: "the contract does not deprecate getPet",
    answered: when(
      isContract,
      text((body) => body.replace('"deprecated":true,', "")),
    ),
    caughtBy: ["contract-deprecates-get"],
  },
  {
    name: "the contract is at another version",
    answered: when(
      isContract,
      text((body) => body.replace("1.0.0", "2.0.0")),
    ),
    caughtBy: ["contract-version"],
  },
  {
    name: "a problem has no detail",
    answered: when(
      ({ headers }) => headers.get("content-type") === "application/problem+json",
      json(({ detail: _, ...problem }) => problem),
    ),
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
    name: "there is no store area",
    answered: (answered, { path }) => {
      if (!path.startsWith("/store")) return;
      answered.status = 404;
      answered.body = '{"code":"path_not_found","message":"Nothing here.","status":404}';
    },
    caughtBy: ["orders-listing-exists"],
    andMore: true,
  },
  {
    name: "categories are backwards",
    answered: when(
      (answered, { path }) => path.startsWith("/categories") && answered.status === 200,
      json((list) => list.reverse()),
    ),
    caughtBy: [
      "categories-list",
      "categories-page",
      "category-create",
      "category-id-taken-409",
      "category-rename-taken-409",
      "category-rename",
      "category-rename-other-id-refused",
      "category-in-use-409",
    ],
  },
];
