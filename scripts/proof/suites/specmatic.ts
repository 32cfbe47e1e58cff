/** Specmatic: requests made of the contract, good and bad ones, against the live service. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { cachedJar, type Jar, requireJava } from "../cachedTools.ts";
import { type Contract, operationsOf, readContract } from "../contract.ts";
import { run, scratch } from "../run.ts";
import { type Live, onService, ServiceFixtures } from "../service.ts";
import {
  contractForSpecmatic,
  tellLeftOut,
  withPreparedRequests,
} from "../specmatic/contractForSpecmatic.ts";
import { type PreparedRequest, prepareRequests } from "../specmatic/preparedRequests.ts";
import { type Failure, type Outcome, progress, type Suite } from "../suite.ts";

// Not a development dependency: 77 MB that only this run needs.
const pinned: Jar = {
  name: "specmatic",
  version: "2.55.1",
  sha256: "07a1ae4b861c6b4dab67a4a1407c58f28db306b3b7732eda92148bce8f2729b9",
  commands: [
    ["npm", "pack", "--ignore-scripts", "--silent", "specmatic@2.55.1"],
    ["tar", "-xzf", "specmatic-2.55.1.tgz", "package/specmatic.jar"],
  ],
  path: "package/specmatic.jar",
};

export const specmatic: Suite = {
  name: "Specmatic, requests made of the contract",
  slug: "specmatic",
  quick: true,
  run: () => onService(runSpecmatic),
};

const failuresShownMax = 5;
const refusalShownLengthMax = 2_000;

/** `+ve  Scenario: GET /pets/(petId:number) -> 200 with the request from the example 'bella'` */
const scenario =
  /(?<sign>[+-]ve)? *Scenario: (?<place>.+?) -> (?<status>\w+)(?: .*?the example '(?<example>[^']*)')?/;

interface Case {
  /** `GET /pets/(petId:number)` */
  readonly place: string;
  readonly status: string;
  /** Good requests, examples of requests that are refused, and what Specmatic has broken. */
  readonly kind: "good" | "refused" | "bad";
  /** The name of the example that it sends. */
  readonly example: string;
  readonly failed: boolean;
}

async function runSpecmatic(live: Live): Promise<Outcome> {
  await requireJava();
  const requests = await prepareRequests(new ServiceFixtures(live));
  const usingUp = new Set<string>(requests.map(({ operation }) => operation));
  const places = operationsOf(readContract()).filter(({ operation }) =>
    usingUp.has(operation.operationId),
  );
  tellLeftOut();
  progress(`as prepared examples: the good requests of ${[...usingUp].join(", ")}, which use up`);
  progress("  what they are about; each has a pet, an order or a category of its own");

  // Specmatic files a bad request under 4xx, so leaving out 200, 201 and 204 leaves all of them in.
  const left = places.map(
    ({ method, path }) => `!(METHOD='${method}' && PATH='${path}' && STATUS='200,201,204')`,
  );
  const made = await passOf(live, {
    name: "made",
    contract: contractForSpecmatic(),
    filter: left.join(" && "),
    generative: true,
  });
  const taken = places.map(({ method, path }) => `(METHOD='${method}' && PATH='${path}')`);
  const prepared = await passOf(live, {
    name: "prepared",
    contract: withPreparedRequests(contractForSpecmatic(), requests),
    filter: taken.join(" || "),
    generative: false,
  });
  const { passed, failures } = count([...made, ...prepared]);
  return {
    version: pinned.version,
    passed,
    failures: [...failures, ...unsent(requests, prepared)],
  };
}

interface Pass {
  readonly name: string;
  readonly contract: Contract;
  readonly filter: string;
  /** Whether Specmatic varies the examples and breaks the schemas, or sends the examples alone. */
  readonly generative: boolean;
}

async function passOf({ base, key }: Live, pass: Pass): Promise<Case[]> {
  const jar = await cachedJar(pinned);
  // Specmatic writes reports into the folder it runs in.
  const folder = join(scratch, pass.name);
  mkdirSync(folder);
  // Specmatic does not follow the aliases by which YAML says the same thing once.
  const contract = stringify(pass.contract, { aliasDuplicateObjects: false });
  writeFileSync(join(folder, "petstore.yaml"), contract);
  const { code, text } = await run(
    "java",
    [
      ...["-jar", jar, "test", "petstore.yaml", `--testBaseURL=${base}`],
      ...["--junitReportDir=junit", `--filter=${pass.filter}`],
    ],
    folder,
    // Specmatic takes the key from the variable that is named like the security scheme.
    { apiKey: key, SPECMATIC_GENERATIVE_TESTS: String(pass.generative) },
  );
  const report = join(folder, "junit/TEST-junit-jupiter.xml");
  if (!existsSync(report)) throw new Error(`Specmatic ended with ${code} and no report:\n${text}`);
  const cases = casesOf(readFileSync(report, "utf8"));
  const failed = cases.some((test) => test.failed);
  if (failed) progress(failuresOf(text.replaceAll(key, "$API_KEY")));
  if (code !== 0 && !failed) throw new Error(`Specmatic ended with ${code}:\n${text}`);
  return cases;
}

function casesOf(report: string): Case[] {
  return report
    .split("<testcase ")
    .slice(1)
    .map((text) => {
      const name = / name="([^"]*)"/.exec(text)?.[1] ?? "";
      const said = name.replaceAll("&gt;", ">").replaceAll("&apos;", "'");
      const { sign, place = said, status = "", example = "" } = scenario.exec(said)?.groups ?? {};
      const kind = sign === "-ve" ? "bad" : status.startsWith("2") ? "good" : "refused";
      return { place, status, kind, example, failed: /<(failure|error)\b/.test(text) };
    });
}

const placeOf = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replaceAll(/\{(\w+)\}/g, "($1:number)")}`;

/** Counts the tests of each operation; one that has no good or no bad requests has failed. */
function count(cases: readonly Case[]): Omit<Outcome, "version"> {
  const failures: Failure[] = cases
    .filter((test) => test.failed)
    .map(({ place, status, kind, example }) => ({
      id: `${place} -> ${status} ${kind} ${example}`.trim(),
      says: "The exchange is above.",
    }));
  const operations = operationsOf(readContract());
  for (const { operation, ...where } of operations) {
    const own = cases.filter(({ place }) => place === placeOf(where));
    const counts = { good: 0, refused: 0, bad: 0 };
    for (const { kind } of own) counts[kind]++;
    const { good, refused, bad } = counts;
    progress(
      `${operation.operationId}: ${good} good requests, ${refused} examples of refusals, ${bad} bad requests`,
    );
    for (const kind of ["good", "bad"] as const) {
      if (counts[kind] > 0) continue;
      failures.push({ id: operation.operationId, says: `Specmatic made no ${kind} request.` });
    }
  }
  const places = new Set(operations.map(placeOf));
  for (const { place } of cases) {
    if (!places.has(place)) failures.push({ id: place, says: "It belongs to no known operation." });
  }
  return { passed: cases.filter((test) => !test.failed).length, failures };
}

/** The prepared requests that Specmatic did not send, or not to hear what was prepared. */
function unsent(requests: readonly PreparedRequest[], cases: readonly Case[]): Failure[] {
  return operationsOf(readContract()).flatMap(({ operation, ...where }) => {
    const sent = cases.filter(({ place }) => place === placeOf(where));
    return requests
      .filter((own) => own.operation === operation.operationId)
      .filter(
        ({ name, status }) =>
          !sent.some((test) => test.example === name && test.status === String(status)),
      )
      .map(({ name }) => ({ id: `${operation.operationId} "${name}"`, says: "It was not sent." }));
  });
}

/** The first exchanges that went wrong, or why there were none. */
function failuresOf(log: string): string {
  const [refusal = "", ...blocks] = log.split("--------------------");
  const failed = blocks.filter((block) => /Scenario: .* has FAILED/.test(block));
  // Where Specmatic refuses the contract or an example of it, it says why and sends nothing.
  const shown =
    failed.length > 0
      ? failed.slice(0, failuresShownMax)
      : [refusal.slice(refusal.indexOf("Reason:")).slice(0, refusalShownLengthMax)];
  return shown.map((block) => block.trimEnd()).join("\n");
}
