import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import { type HttpExchange, isListedCode } from "../exchange.ts";

const check = checksOf("errors");
const schemaCheck = check("openapi: /components/schemas/Error");

/** One way to each status that can be had by asking. */
const ways: Readonly<Record<number, (caller: Caller) => Promise<HttpExchange>>> = {
  400: (caller) => caller.post("/pets", {}),
  401: (caller) => caller.send("GET", "/pets", { authorization: null }),
  404: (caller) => caller.get("/petstore-check-nowhere"),
  405: (caller) => caller.send("DELETE", "/pets"),
  415: (caller) => caller.post("/pets", "{}", { contentType: "text/plain" }),
};

export const errors: readonly Check[] = [
  ...Object.entries(ways).map(([status, ask]) =>
    schemaCheck(
      `error-${status}-exact`,
      `The body of a ${status} has code, message and status, and nothing else.`,
      async (caller) => {
        const seen = await ask(caller);
        seen.error(Number(status));
        const members = Object.keys(seen.body() as object).sort();
        assert(members.join() === "code,message,status", "three members", members.join(", "));
      },
    ),
  ),
  ...Object.entries(ways).map(([status, ask]) =>
    check("openapi: /components/schemas/ErrorCode")(
      `error-${status}-code`,
      `The code of a ${status} is one that the contract lists for this status.`,
      async (caller) => {
        const seen = await ask(caller);
        const { code } = seen.error(Number(status));
        assert(isListedCode(code, seen.status), "a code of the list", seen.shown);
      },
    ),
  ),
  check("openapi: /components/headers/RequestId")(
    "error-request-id",
    "Every error has an X-Request-Id.",
    async (caller) => {
      for (const ask of Object.values(ways)) {
        const id = (await ask(caller)).headers.get("x-request-id") ?? "";
        assert(id.length >= 1 && id.length <= 128, "an X-Request-Id of 1 to 128", `"${id}"`);
      }
    },
  ),
  check("guide/getting-started.md")(
    "request-id-repeated",
    "An X-Request-Id that the client sends is repeated in the answer.",
    async (caller) => {
      const id = `petstore-check-${caller.context.mark}`;
      for (const path of ["/pets?limit=1", "/petstore-check-nowhere"]) {
        const seen = await caller.get(path, { "x-request-id": id });
        seen.expectHeader("x-request-id", id);
      }
    },
  ),
];
