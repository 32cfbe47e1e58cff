/** Portman: a Postman collection with tests made of the contract, which Newman runs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmTools } from "../cachedTools.ts";
import { operationsOf, readContract } from "../contract.ts";
import { run, scratch } from "../run.ts";
import { type Live, onService } from "../service.ts";
import type { Failure, Outcome, Suite } from "../suite.ts";

export const portman: Suite = {
  name: "Portman, tests in a Postman collection",
  slug: "portman",
  quick: true,
  run: () => onService(runCollection),
};

const pathVariable = (key: string, value: string) => ({
  overwriteRequestPathVariables: [{ key, value, overwrite: true }],
});

const enabled = { enabled: true };
const config = {
  version: 1,
  tests: {
    contractTests: [
      {
        openApiOperation: "*::/*",
        ...{ statusSuccess: enabled, contentType: enabled, jsonBody: enabled },
        ...{ schemaValidation: enabled, headersPresent: enabled },
      },
    ],
  },
  // The examples of the contract speak of one pet, one order and one category, which a run uses up.
  overwrites: [
    {
      openApiOperationId: "createCategory",
      overwriteRequestBody: [
        { key: "id", value: 30, overwrite: true },
        { key: "name", value: "Birds", overwrite: true },
      ],
    },
    { openApiOperationId: "updateCategory", ...pathVariable("categoryId", "30") },
    { openApiOperationId: "deleteCategory", ...pathVariable("categoryId", "30") },
    {
      openApiOperationId: "placeOrder",
      overwriteRequestBody: [{ key: "petId", value: 2, overwrite: true }],
    },
    // Order 1 is approved and delivered by then, and 2 is the one that was just placed.
    { openApiOperationId: "cancelOrder", ...pathVariable("orderId", "2") },
  ],
};

/** The part of Newman's report that is judged. */
export interface Report {
  readonly run: {
    readonly executions: readonly {
      readonly item: { readonly name: string };
      readonly response?: { readonly code: number };
      readonly assertions?: readonly {
        readonly assertion: string;
        readonly error?: { readonly message: string };
      }[];
    }[];
  };
}

async function runCollection({ base, key }: Live): Promise<Outcome> {
  const commands = await npmTools("portman");
  const contract = await (await fetch(`${base}/openapi.json`)).text();
  writeFileSync(join(scratch, "portman.json"), JSON.stringify(config));
  writeFileSync(join(scratch, "openapi.json"), contract);
  const generated = await run(
    join(commands, "portman"),
    ["-l", "openapi.json", "-b", base, "-c", "portman.json", "-o", "collection.json"],
    scratch,
  );
  const { code, text } = await run(
    join(commands, "newman"),
    [
      ...["run", "collection.json", "--env-var", `bearerToken=${key}`],
      ...["-r", "json", "--reporter-json-export", "newman.json"],
    ],
    scratch,
  );
  if (code !== 0 && code !== 1)
    throw new Error(`Newman ended with ${code}: ${generated.text}${text}`);
  const report = JSON.parse(readFileSync(join(scratch, "newman.json"), "utf8")) as Report;
  const { version } = await Bun.file(join(commands, "../@apideck/portman/package.json")).json();
  return { version, ...judgeCollection(report, operationsOf(readContract()).length) };
}

/** An operation that was not called, or whose answer no test looked at, has failed. */
export function judgeCollection({ run: { executions } }: Report, operations: number) {
  let passed = 0;
  const failures: Failure[] = [];
  for (const { item, response, assertions = [] } of executions) {
    if (assertions.length === 0) failures.push({ id: item.name, says: "It has no tests." });
    for (const { assertion, error } of assertions) {
      if (error === undefined) passed++;
      else {
        const says = `${error.message} (answered ${response?.code ?? "nothing"})`;
        failures.push({ id: `${item.name}: ${assertion}`, says });
      }
    }
  }
  if (executions.length !== operations) {
    const says = `${executions.length} of ${operations} operations were called.`;
    failures.push({ id: "operations", says });
  }
  return { passed, failures };
}
