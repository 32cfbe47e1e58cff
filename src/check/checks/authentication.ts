import { assert, type Check, checksOf } from "../check.ts";

const check = checksOf("auth");
const recordCheck = check("decisions/0016-authentication-comes-first.md");
const challengeCheck = check("openapi: /components/headers/Challenge");

const malformed: Readonly<Record<string, readonly [authorization: string, what: string]>> = {
  basic: ["Basic cGV0czpwZXRz", "another scheme"],
  "no-token": ["Bearer", "a scheme without a token"],
  "two-tokens": ["Bearer KEY KEY", "two tokens"],
  "no-scheme": ["KEY", "the bare key"],
  "longer-key": ["Bearer KEYx", "the key and one more character"],
};

export const authentication: readonly Check[] = [
  challengeCheck(
    "auth-missing-challenged",
    "401 for a missing key challenges with Bearer and speaks of no error.",
    async (caller) => {
      const seen = await caller.send("GET", "/pets", { authorization: null });
      seen.error(401, "key_missing");
      const asked = seen.header("www-authenticate");
      assert(/^bearer\b/i.test(asked) && !/error=/i.test(asked), "Bearer, no error=", asked);
    },
  ),
  challengeCheck(
    "auth-wrong-challenged",
    'A key that was sent and refused is challenged with error="invalid_token".',
    async (caller) => {
      const sent = { authorization: "Bearer petstore_check_no_such_key" };
      const seen = await caller.send("GET", "/pets", sent);
      seen.error(401, "key_invalid");
      const asked = seen.header("www-authenticate");
      const fits = /^bearer\b.*error="?invalid_token/i.test(asked);
      assert(fits, 'Bearer … error="invalid_token"', asked);
    },
  ),
  ...Object.entries(malformed).map(([what, [pattern, words]]) =>
    recordCheck(
      `auth-malformed-${what}`,
      `A malformed credential is answered 401: ${words}.`,
      async (caller) => {
        const authorization = pattern.replaceAll("KEY", caller.context.key);
        (await caller.send("GET", "/pets", { authorization })).error(401);
      },
    ),
  ),
  ...["bearer", "BEARER"].map((scheme) =>
    recordCheck(
      `auth-scheme-${scheme === "bearer" ? "lower" : "upper"}-case`,
      "The name of the scheme is case-insensitive.",
      async (caller) => {
        const authorization = `${scheme} ${caller.context.key}`;
        (await caller.send("GET", "/pets", { authorization })).expectStatus(200);
      },
    ),
  ),
  recordCheck(
    "auth-before-path",
    "Without a key an unknown path is answered 401 as well.",
    async (caller) => {
      const sent = { authorization: null };
      (await caller.send("GET", "/petstore-check-nowhere", sent)).error(401);
    },
  ),
  recordCheck(
    "auth-before-method",
    "Without a key a method that a path does not take is answered 401.",
    async (caller) => (await caller.send("DELETE", "/pets", { authorization: null })).error(401),
  ),
  recordCheck("auth-before-body", "Without a key a wrong body is answered 401.", async (caller) =>
    (await caller.post("/pets", "{", { authorization: null })).error(401),
  ),
];
