import type { Caller } from "../caller.ts";
import { type Check, checksOf, demand } from "../check.ts";
import { jsonAnswer } from "../shapes.ts";

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
  return (jsonAnswer(seen, 200) ?? {}) as Document;
}

const operations = [
  ["listPets", "/pets", "get"],
  ["createPet", "/pets", "post"],
  ["getPet", "/pets/{petId}", "get"],
] as const;

export const contractDocument: readonly Check[] = [
  check(
    "contract-public",
    "The contract is at openapi.json, and needs no key.",
    "guide/getting-started.md",
    async (caller) => {
      const { openapi } = await documentOf(caller);
      demand(/^3\./.test(String(openapi)), "openapi 3.x", String(openapi));
    },
  ),
  check(
    "contract-servers",
    "Production and staging are named, and both addresses end in /v1.",
    "requirement: 9",
    async (caller) => {
      const urls = ((await documentOf(caller)).servers ?? []).map(({ url }) => String(url));
      const fits = urls.length === 2 && urls.every((url) => url.endsWith("/v1"));
      demand(fits, "two servers that end in /v1", urls.join(", ") || "none");
    },
  ),
  check(
    "contract-version",
    "The interface description is at version 1.0.0.",
    "requirement: 9",
    async (caller) => {
      const { info } = await documentOf(caller);
      demand(info?.version === "1.0.0", "1.0.0", String(info?.version));
    },
  ),
  check(
    "contract-operations",
    "listPets, createPet and getPet are where the requirement has them.",
    "requirement: 4",
    async (caller) => {
      const { paths } = await documentOf(caller);
      for (const [id, path, method] of operations) {
        const found = paths?.[path]?.[method]?.operationId;
        demand(found === id, `${id} at ${method} ${path}`, String(found));
      }
    },
  ),
  check(
    "contract-deprecates-get",
    "getPet is marked deprecated, with the date of its removal.",
    "requirement: 9",
    async (caller) => {
      const get = (await documentOf(caller)).paths?.["/pets/{petId}"]?.get;
      demand(get?.deprecated === true, "deprecated: true", String(get?.deprecated));
      demand(get["x-sunset"] === "2030-12-05", "x-sunset 2030-12-05", String(get["x-sunset"]));
    },
  ),
];
