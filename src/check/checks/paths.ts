import { assert, type Check, checksOf } from "../check.ts";

const check = checksOf("paths");
const infoCheck = check("openapi: /tags/0/description");

/** Methods that a path does not take, and those it does. */
const methods: readonly (readonly [id: string, method: string, path: string, allow: string])[] = [
  ["pets", "DELETE", "/pets", "GET HEAD POST"],
  ["pet", "PUT", "/pets/1", "GET HEAD"],
];

/** Spellings that are not the one of an id. `ID` stands for the id of a pet that is there. */
const spellings: Readonly<Record<string, string>> = {
  word: "rex",
  "leading-zero": "0ID",
  plus: "+ID",
  point: "ID.0",
  exponent: "IDe0",
  space: "ID%20",
  "minus-zero": "-0",
  "beyond-int64": "9223372036854775808",
};

export const paths: readonly Check[] = [
  infoCheck(
    "path-unknown-404",
    "A path that the contract does not list is answered 404 path_not_found.",
    async (caller) => {
      for (const path of ["/petstore-check-nowhere", "/pets/1/nowhere", "/store"]) {
        (await caller.get(path)).error(404, "path_not_found");
      }
    },
  ),
  ...methods.map(([id, method, path, allowed]) =>
    infoCheck(
      `method-${id}-405`,
      `${method} ${path} is answered 405, with the methods that the path takes in Allow.`,
      async (caller) => {
        const seen = await caller.send(method, path);
        seen.error(405, "method_not_allowed");
        const allow = seen.header("allow");
        const words = new Set(allow.toUpperCase().split(/\s*,\s*/));
        const fits = allowed.split(" ").every((word) => words.has(word)) && !words.has(method);
        assert(fits, `Allow with ${allowed}`, allow);
      },
    ),
  ),
  ...Object.entries(spellings).map(([what, spelling]) =>
    check("decisions/0011-a-petid-that-is-no-int64-is-404.md")(
      `get-malformed-${what}-404`,
      `${spelling.replace("ID", "1")} in place of an identifier names no pet: 404.`,
      async (caller) => {
        caller.needGetPet();
        const pet = await caller.addPet();
        const path = `/pets/${spelling.replace("ID", String(pet.id))}`;
        (await caller.get(path)).error(404, "pet_not_found");
      },
    ),
  ),
  check("decisions/0006-exact-int64.md")(
    "get-wrapped-id-404",
    "An identifier plus 2^64 is not the same pet.",
    async (caller) => {
      caller.needGetPet();
      const pet = await caller.addPet();
      (await caller.get(`/pets/${pet.id + 2n ** 64n}`)).error(404, "pet_not_found");
    },
  ),
];
