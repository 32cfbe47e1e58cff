/** The sample server of Swagger: a few pets in memory. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../testkit/freePorts.ts";
import { drawSample } from "../sample.ts";
import type { Dialect } from "../works.ts";
import { type Contestant, type Place, type Running, startHttp } from "./contestant.ts";

/** Its own data, in every process anew. */
const petsOfItsOwn = 10;

/** Not found on Maven Central: whoever wants it measured names a folder with what its Docker image has. */
const variable = "SWAGGER_PETSTORE";
const files = ["jetty-runner.jar", "server.war", "openapi.yaml", "inflector.yaml"];
const imageFolder = () => process.env[variable] ?? "";

export const swaggerPetstore: Contestant = {
  name: "swaggerPetstore",
  title: "swagger-petstore",
  leavesOut: [
    `the ${petsOfItsOwn} pets that it starts with`,
    "not durable: in memory",
    "no key check",
    "no creates: it assigns no ids, and concurrent ones fail",
    "no lists: they have no pages",
    "no Link, ETag or deprecation headers",
  ],
  works: ["getPet", "getPetAny"],
  sameBytes: false,
  lacks: () =>
    files.every((file) => existsSync(join(imageFolder(), file)))
      ? undefined
      : `${variable} names no folder with ${files.join(", ")}, as its Docker image has them`,
  version: async () => {
    const contract = readFileSync(join(imageFolder(), "openapi.yaml"), "utf8");
    return /^ {2}version: (.+)$/m.exec(contract)?.[1] ?? "unknown";
  },
  start: startSwaggerPetstore,
};

async function startSwaggerPetstore({ folder }: Place): Promise<Running> {
  const port = await freePort();
  const image = imageFolder();
  return startHttp({
    order: {
      command: "java",
      args: [
        `-DswaggerUrl=${join(image, "openapi.yaml")}`,
        `-Dconfig=${join(image, "inflector.yaml")}`,
        `-Djava.io.tmpdir=${folder}`,
        "-jar",
        join(image, "jetty-runner.jar"),
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        join(image, "server.war"),
      ],
      output: join(folder, "output.log"),
    },
    port,
    dialect,
    folder,
    sample: drawSample(petsOfItsOwn),
  });
}

const dialect: Dialect = {
  headers: { Accept: "application/json", "Content-Type": "application/json" },
  getPet: (id) => `/api/v3/pet/${id}`,
  list: ({ status }) => `/api/v3/pet/findByStatus?status=${status ?? "available"}`,
  create: {
    path: "/api/v3/pet",
    body: '{"name":"Bench {n}","photoUrls":[],"status":"available"}',
  },
};
