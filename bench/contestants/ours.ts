/** This service, as `npm start` runs it. */
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { petQuestion, sealCursor } from "../../src/petstore/catalogue/cursor.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { main, newDataFolder, newKey } from "../seeded.ts";
import { type Dialect, type ListQuestion, workNames } from "../works.ts";
import { type Contestant, type Place, type Running, startHttp } from "./contestant.ts";

/** Links in responses begin with it, so that contestants that serve our bytes have the same ones. */
const baseUrl = "https://petstore.example.com/v1";
/** Seals cursors; known here so that a page of any depth can be asked for without walking there. */
export const serviceSecret = "bench ".repeat(8);

/** The others write no line per request either. */
export const quiet = { PETSTORE_LOG: "off" };

/** Without a worker of domains, which would look for their names in DNS. */
export const edgeSettings = (httpPort: number, httpsPort: number) => ({
  PETSTORE_FIRST_KEY: "off",
  PETSTORE_DOCS_SITE: "off",
  PETSTORE_SITES_HOST: "sites.example.com",
  PETSTORE_ACME_TERMS: "agreed",
  PETSTORE_ROLES: "edge",
  PETSTORE_EDGE_HTTP_PORT: String(httpPort),
  PETSTORE_EDGE_HTTPS_PORT: String(httpsPort),
  ...quiet,
});

export const ours: Contestant = {
  name: "ours",
  title: "ours",
  leavesOut: [],
  works: workNames,
  sameBytes: true,
  version: async () => `${packageJson.version} on Bun ${process.versions.bun}`,
  start: (place) => startOurs(place),
};

export const oursLogged: Contestant = {
  ...ours,
  name: "oursLogged",
  title: "ours, a log line per request",
  works: ["getPet", "listPlain"],
  start: (place) => startOurs(place, {}),
};

export async function startOurs(
  place: Pick<Place, "folder" | "sample">,
  variables: Readonly<Record<string, string>> = quiet,
): Promise<Running> {
  const dataFolder = join(place.folder, "data");
  await newDataFolder(dataFolder, place.sample.pets);
  return serveOurs({ ...place, dataFolder, key: await newKey(dataFolder), variables });
}

export interface OurService extends Pick<Place, "folder" | "sample"> {
  readonly dataFolder: string;
  readonly key: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts the service on a data folder that is there. */
export async function serveOurs(service: OurService): Promise<Running> {
  const port = await freePort();
  return startHttp({
    order: {
      command: process.execPath,
      args: [main, "serve"],
      variables: {
        NODE_ENV: "production",
        PETSTORE_DATA: service.dataFolder,
        PETSTORE_BASE_URL: baseUrl,
        PETSTORE_SECRET: serviceSecret,
        PETSTORE_METRICS_PORT: "off",
        PORT: String(port),
        ...(service.variables ?? quiet),
      },
      output: join(service.folder, "output.log"),
    },
    port,
    dialect: ourDialect(service.key),
    folder: service.folder,
    sample: service.sample,
  });
}

export function ourDialect(key: string): Dialect {
  return {
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    getPet: (id) => `/v1/pets/${id}`,
    list: (question) => `/v1/pets${searchOf(question)}`,
    create: { path: "/v1/pets", body: '{"name":"Bench {n}","categoryId":7}' },
    order: (petId) => ({ path: "/v1/store/orders", body: `{"petId":${petId}}` }),
  };
}

function searchOf({ status, after }: ListQuestion): string {
  const search = new URLSearchParams();
  if (after !== undefined) search.set("limit", "20");
  if (status !== undefined) search.set("status", status);
  if (after !== undefined) {
    const question = petQuestion({ status, ids: undefined });
    search.set("cursor", sealCursor(serviceSecret, question, BigInt(after)));
  }
  return search.size === 0 ? "" : `?${search}`;
}
