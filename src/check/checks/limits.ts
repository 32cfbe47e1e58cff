import { assert, type Check, checksOf, NotApplicable } from "../check.ts";

const check = checksOf("limits");
const recordCheck = check("decisions/0015-body-limits.md");
const tooLargeCheck = check("openapi: /components/responses/BodyTooLarge");
const mediaCheck = check("openapi: /components/responses/MediaTypeRefused");
const bodyBytesMax = 65_536;

/** White space is part of a body, so it can make one of any size. */
const bodyOf = (name: string, bytes: number) =>
  `{"name":"${name}","categoryId":1}`.padEnd(bytes, " ");

const typesRefused: Readonly<Record<string, string | null>> = {
  none: null,
  text: "text/plain",
  xml: "application/xml",
  form: "application/x-www-form-urlencoded",
  latin1: "application/json; charset=iso-8859-1",
};

export const limits: readonly Check[] = [
  recordCheck("body-65536-accepted", "A body of 65,536 bytes is taken.", async (caller) =>
    (await caller.post("/pets", bodyOf(caller.newName(), bodyBytesMax))).pet(201),
  ),
  tooLargeCheck(
    "body-65537-refused",
    "A body of one byte more is refused with 413.",
    async (caller) => {
      const seen = await caller.post("/pets", bodyOf(caller.newName(), bodyBytesMax + 1));
      seen.error(413, "body_too_large");
    },
  ),
  ...Object.entries(typesRefused).map(([what, contentType]) =>
    mediaCheck(
      `media-${what}-refused`,
      `A body of ${contentType ?? "no media type"} is refused with 415.`,
      async (caller) =>
        (await caller.postPet({ contentType })).error(415, "media_type_unsupported"),
    ),
  ),
  ...["application/json; charset=utf-8", "Application/JSON"].map((contentType, place) =>
    recordCheck(
      `media-${place === 0 ? "charset" : "case"}-accepted`,
      `A body of ${contentType} is taken.`,
      async (caller) => (await caller.postPet({ contentType })).pet(201),
    ),
  ),
  recordCheck(
    "media-compressed-refused",
    "A compressed body is refused with 415.",
    async (caller) => {
      const seen = await caller.postPet({ headers: { "content-encoding": "gzip" } });
      seen.error(415, "media_type_unsupported");
    },
  ),
  check("openapi: /components/headers/RateLimit")(
    "rate-limit-fields",
    "Where requests are limited, answers say the policy and what is left.",
    async (caller) => {
      const seen = await caller.get("/pets?limit=1");
      seen.expectStatus(200);
      if (!seen.headers.has("ratelimit-policy") && !seen.headers.has("ratelimit")) {
        throw new NotApplicable("The operator limits no rate here.");
      }
      const policy = seen.header("ratelimit-policy");
      assert(/^"[^"]+"(?=.*;\s*q=\d+)(?=.*;\s*w=\d+)/.test(policy), '"name";q=…;w=…', policy);
      const left = seen.header("ratelimit");
      assert(/^"[^"]+"(?=.*;\s*r=\d+)(?=.*;\s*t=\d+)/.test(left), '"name";r=…;t=…', left);
    },
  ),
];
