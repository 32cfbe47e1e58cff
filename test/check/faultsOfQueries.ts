/** Faults in reading addresses. */
import type { Caught } from "./faults.ts";
import { path, query, replace } from "./tamper.ts";

export const faultsOfQueries: readonly Caught[] = [
  {
    name: "limit 101 is taken for 100",
    asked: query((search) =>
      replace(search, "limit", (limit) => (limit === "101" ? "100" : limit)),
    ),
    caughtBy: ["list-limit-101-refused"],
  },
  {
    name: "limit 0 is taken for 1",
    asked: query((search) => replace(search, "limit", (limit) => (limit === "0" ? "1" : limit))),
    caughtBy: [
      "list-limit-0-refused",
      "head-refusals",
      "problem-400",
      "problem-among-others",
      "problem-not-for-json",
      "problem-not-for-any",
      "problem-not-for-both",
    ],
  },
  {
    name: "a limit that is no number is ignored",
    asked: query((search) => {
      if (Number.isNaN(Number(search.get("limit")))) search.delete("limit");
    }),
    caughtBy: ["list-limit-word-refused"],
  },
  {
    name: "limit is read as any number",
    asked: query((search) => {
      const limit = Number(search.get("limit"));
      if (search.getAll("limit").length === 1 && limit >= 1 && limit <= 100)
        search.set("limit", String(Math.floor(limit)));
    }),
    caughtBy: [
      "list-limit-fraction-refused",
      "list-limit-exponent-refused",
      "list-limit-plus-refused",
      "list-limit-space-refused",
    ],
  },
  {
    name: "the first of two limits counts",
    asked: query((search) => search.has("limit") && search.set("limit", search.get("limit") ?? "")),
    caughtBy: ["list-limit-twice-refused"],
  },
  {
    name: "the default limit is 25",
    asked: query((search) => !search.has("limit") && search.set("limit", "25")),
    caughtBy: ["list-limit-default", "list-limit-default-full"],
  },
  {
    name: "a page holds 50 at most",
    asked: query((search) =>
      replace(search, "limit", (limit) =>
        Number(limit) > 50 && Number(limit) <= 100 ? "50" : limit,
      ),
    ),
    caughtBy: ["list-limit-100-full", "page-walk-everything"],
  },
  {
    name: "limit is ignored",
    asked: query((search) => search.delete("limit")),
    caughtBy: ["list-limit-1", "list-limit-7"],
    andMore: true,
  },
  {
    name: "status in capitals is taken",
    asked: query((search) => replace(search, "status", (status) => status.toLowerCase())),
    caughtBy: ["list-status-case-refused"],
  },
  {
    name: "an unknown status is ignored",
    asked: query((search) => search.get("status") === "lost" && search.delete("status")),
    caughtBy: ["list-status-unknown-refused"],
  },
  {
    name: "the status filter is ignored",
    asked: query((search) => search.delete("status")),
    caughtBy: ["list-status-sold", "list-id-and-status"],
    andMore: true,
  },
  {
    name: "the id filter is ignored",
    asked: query((search) => search.delete("id")),
    caughtBy: ["list-id-filter"],
    andMore: true,
  },
  {
    name: "of two ids only the first counts",
    asked: query((search) => search.has("id") && search.set("id", search.get("id") ?? "")),
    caughtBy: ["list-id-filter"],
    andMore: true,
  },
  {
    name: "bad ids are dropped from the filter",
    asked: query((search) => {
      const ids = search.getAll("id");
      search.delete("id");
      for (const id of ids.filter((one) => /^-?[1-9]\d{0,17}$/.test(one))) search.append("id", id);
    }),
    caughtBy: [
      "list-id-word-refused",
      "list-id-empty-refused",
      "list-id-leading-zero-refused",
      "list-id-point-refused",
      "list-id-beyond-int64-refused",
      "list-id-one-bad-refused",
      "list-id-unknown-left-out",
      "count-pets",
    ],
  },
  {
    name: "a cursor that is none begins again",
    asked: query((search) => !/^\d+\./.test(search.get("cursor") ?? "") && search.delete("cursor")),
    caughtBy: ["cursor-made-up-refused"],
  },
  {
    name: "the status filter of orders is ignored",
    asked: query((search) => search.delete("status"), "/store/orders"),
    caughtBy: [
      "orders-status-placed",
      "orders-status-approved",
      "orders-status-delivered",
      "orders-status-unknown-refused",
      "orders-status-of-pets-refused",
      "orders-cursor-bound",
      "orders-status-cancelled",
      "orders-of-pet",
    ],
  },
  {
    name: "ids are read like numbers",
    asked: path((id) =>
      /^[+\d]/.test(id) && id.length < 19 ? String(Number.parseInt(id, 10)) : id,
    ),
    caughtBy: [
      "get-malformed-leading-zero-404",
      "get-malformed-plus-404",
      "get-malformed-point-404",
      "get-malformed-exponent-404",
      "get-malformed-space-404",
    ],
  },
  {
    name: "ids wrap around",
    asked: path((id) => (/^\d{19,}$/.test(id) ? String(BigInt.asIntN(64, BigInt(id))) : id)),
    caughtBy: ["get-wrapped-id-404", "update-unknown-404"],
  },
];
