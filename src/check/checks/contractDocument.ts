import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";

const check = checksOf("contract");

interface Document {
  readonly openapi?: unknown;
  readonly info?: { readonly version?: unknown };
  readonly servers?: readonly { readonly url?: unknown }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId?: unknown;
  readonly deprecated?: unknown;
  readonly "x-sunset"?: unknown;
}

async function documentOf(caller: Caller): Promise<Document> {
  const seen = await caller.send("GET", "/openapi.json", { authorization: null });
  return (seen.json(200) ?? {}) as Document;
}

const operations = [
  ["listPets", "/pets", "get"],
  ["createPet", "/pets", "post"],
  ["getPet", "/pets/{petId}", "get"],
] as const;

export const contractDocument: readonly Check[] = [
  check("guide/getting-started.md")(
    "contract-public",
    "The contract is at openapi.json, and needs no key.",
    async (caller) => {
      const { openapi } = await documentOf(caller);
      assert(/^3\./.test(String(openapi)), "openapi 3.x", String(openapi));
    },
  ),
  check("guide/production-and-staging.md")(
    "contract-servers",
    "Production and staging are named, and both addresses end in /v1.",
    async (caller) => {
      const urls = ((await documentOf(caller)).servers ?? []).map(({ url }) => String(url));
      const fits = urls.length === 2 && urls.every((url) => url.endsWith("/v1"));
      assert(fits, "two servers that end in /v1", urls.join(", ") || "none");
    },
  ),
  check("openapi: /info/version")(
    "contract-version",
    "The contract is at version 1.0.0.",
    async (caller) => {
      const { info } = await documentOf(caller);
      assert(info?.version === "1.0.0", "1.0.0", String(info?.version));
    },
  ),
  check("openapi: /paths")(
    "contract-operations",
    "listPets, createPet and getPet are at their documented paths.",
    async (caller) => {
      const { paths } = await documentOf(caller);
      for (const [id, path, method] of operations) {
        const found = paths?.[path]?.[method]?.operationId;
        assert(found === id, `${id} at ${method} ${path}`, String(found));
      }
    },
  ),
  check("guide/deprecation.md")(
    "contract-deprecates-get",
    "getPet is marked deprecated, with the date of its removal.",
    async (caller) => {
      const get = (await documentOf(caller)).paths?.["/pets/{petId}"]?.["get"];
      assert(get?.deprecated === true, "deprecated: true", String(get?.deprecated));
      assert(get["x-sunset"] === "2030-12-05", "x-sunset 2030-12-05", String(get["x-sunset"]));
    },
  ),
];
