import { assert, type Check, checksOf } from "../check.ts";
import type { HttpExchange } from "../exchange.ts";

const check = checksOf("cors");
const recordCheck = check("decisions/0020-cors-and-head.md");
const origin = "https://petstore-check.example";

/** What a page has to be able to read, by the check that asks for it. */
const exposed: Readonly<Record<string, readonly string[]>> = {
  links: ["Link", "Location"],
  lifecycle: ["Deprecation", "Sunset"],
  caching: ["ETag"],
  trouble: ["Allow", "Retry-After", "WWW-Authenticate", "X-Request-Id"],
  idempotency: ["Idempotency-Replayed"],
  "rate-limits": ["RateLimit", "RateLimit-Policy"],
  preferences: ["Preference-Applied", "X-Total-Count"],
  updates: ["Accept-Patch"],
};

/** The method and the headers of a request that a page has to be able to send. */
const allowed: Readonly<Record<string, { method: string; names: readonly string[] }>> = {
  basic: { method: "POST", names: ["Authorization", "Content-Type"] },
  prefer: { method: "POST", names: ["Prefer"] },
  conditional: { method: "POST", names: ["If-None-Match"] },
  idempotency: { method: "POST", names: ["Idempotency-Key"] },
  updates: { method: "PATCH", names: ["If-Match"] },
  deletions: { method: "DELETE", names: ["If-Match"] },
};

function expectOpen(seen: HttpExchange): void {
  seen.expectHeader("access-control-allow-origin", "*");
  seen.expectNoHeader("access-control-allow-credentials");
}

function expectListed(seen: HttpExchange, name: string, wanted: readonly string[]): void {
  const given = seen.header(name);
  const words = new Set(
    (seen.headers.get(name) ?? "").split(",").map((word) => word.trim().toLowerCase()),
  );
  const missing = wanted.filter((word) => !words.has(word.toLowerCase()));
  assert(missing.length === 0, `${name} with ${missing.join(", ")}`, given);
}

export const cors: readonly Check[] = [
  ...Object.entries(allowed).map(([what, { method, names }]) =>
    recordCheck(
      `cors-preflight-${what}`,
      `A preflight without a key allows ${method} from any origin with ${names.join(", ")}.`,
      async (caller) => {
        const seen = await caller.send("OPTIONS", "/pets", {
          authorization: null,
          headers: {
            origin,
            "access-control-request-method": method,
            "access-control-request-headers": names.join(",").toLowerCase(),
          },
        });
        assert(seen.status === 204 || seen.status === 200, "status 204 or 200", seen.shown);
        expectOpen(seen);
        expectListed(seen, "access-control-allow-methods", [method]);
        expectListed(seen, "access-control-allow-headers", names);
      },
    ),
  ),
  recordCheck("cors-get", "An answer may be read by a page of any origin.", async (caller) => {
    const seen = await caller.get("/pets?limit=1", { origin });
    seen.expectStatus(200);
    expectOpen(seen);
  }),
  recordCheck("cors-refusal", "A refusal may be read by a page too.", async (caller) => {
    for (const authorization of [null, `Bearer ${caller.context.key}`]) {
      expectOpen(
        await caller.send("GET", "/petstore-check-nowhere", { authorization, headers: { origin } }),
      );
    }
  }),
  ...Object.entries(exposed).map(([what, names]) =>
    recordCheck(`cors-exposes-${what}`, `A page may read ${names.join(", ")}.`, async (caller) => {
      const seen = await caller.get("/pets?limit=1", { origin });
      expectListed(seen, "access-control-expose-headers", names);
    }),
  ),
];
