import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import type { HttpExchange } from "../exchange.ts";

const check = checksOf("problem+json");
const infoCheck = check("openapi: /tags/0/description");
const schemaCheck = check("openapi: /components/schemas/Problem");
const asking = { accept: "application/problem+json" };

const ways: readonly (readonly [number, string, (caller: Caller) => Promise<HttpExchange>])[] = [
  [400, "parameter_invalid", (caller) => caller.get("/pets?limit=0", asking)],
  [
    401,
    "key_missing",
    (caller) => caller.send("GET", "/pets", { authorization: null, headers: asking }),
  ],
  [404, "path_not_found", (caller) => caller.get("/petstore-check-nowhere", asking)],
  [405, "method_not_allowed", (caller) => caller.send("PUT", "/pets", { headers: asking })],
];

export const problemJson: readonly Check[] = [
  ...ways.map(([status, code, ask]) =>
    schemaCheck(
      `problem-${status}`,
      `A ${status} is application/problem+json for a request that accepts it.`,
      async (caller) => {
        const seen = await ask(caller);
        const members = Object.keys(seen.problem(status, code)).sort().join(", ");
        assert(members === "code, detail, status, title, type", "five members", members);
      },
    ),
  ),
  schemaCheck("problem-type", "type is the address of the page on the code.", async (caller) => {
    const seen = await caller.get("/petstore-check-nowhere", asking);
    const { type } = seen.problem(404, "path_not_found");
    const fits =
      URL.canParse(String(type), caller.context.base) && String(type).includes("path_not_found");
    assert(fits, "an address with path_not_found in it", String(type));
  }),
  infoCheck(
    "problem-among-others",
    "It is enough that Accept prefers it to JSON.",
    async (caller) => {
      const headers = { accept: "application/json;q=0.5, application/problem+json" };
      (await caller.get("/pets?limit=0", headers)).problem(400, "parameter_invalid");
    },
  ),
  ...Object.entries({
    json: "application/json",
    any: "*/*",
    both: "application/problem+json, application/json",
  }).map(([name, accept]) =>
    infoCheck(
      `problem-not-for-${name}`,
      `A request that accepts ${accept} gets the plain Error.`,
      async (caller) => (await caller.get("/pets?limit=0", { accept })).error(400),
    ),
  ),
  schemaCheck("problem-not-for-success", "What succeeds stays plain JSON.", async (caller) => {
    const seen = await caller.get("/pets?limit=1", asking);
    assert(seen.pets().length <= 1, "at most one pet", seen.shown);
  }),
];
