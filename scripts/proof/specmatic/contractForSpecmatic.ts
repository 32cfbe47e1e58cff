/** The contract as Specmatic can take it. What it leaves out here, the workflows or tests cover. */
import { type Contract, operationsOf, type Response, readContract } from "../contract.ts";
import { progress } from "../suite.ts";
import type { PreparedRequest } from "./preparedRequests.ts";

/**
 * Parameters whose values only earlier answers give a meaning: a random one is refused, as it must
 * be, or changes what is asked, which fails good requests and hides what is wrong with bad ones. And
 * those that only multiply the requests, as Specmatic sends all others with and without each.
 */
const dropped = {
  cursor: "only the service can make one; the workflow `pages` follows a real one",
  idempotencyKey: "a text used before is refused with 422; the workflow `repetitions` repeats some",
  ifMatch: "an ETag is 412 unless it is the pet's; the workflow `edited-pets` sends real ones",
  lastEventId:
    "only streams read it, which Specmatic is not asked for; `test/http` sends real ones",
  listPrefer: "it doubles all there is of lists; `petstore check` asks for counts and strictness",
  ifNoneMatch: "an ETag turns 200 into 304; the workflow `unchanged-answers` sends real ones",
};

/**
 * Specmatic sends a good request and several bad ones for each value of an enumeration, with each
 * variant of the other parameters. Of 26 types of events, those of the example do:
 * `test/http/events.test.ts` filters by each.
 */
const typesAsked = ["pet.created", "pet.deleted"];

/** What Specmatic is not asked, and who asks it instead. */
export function tellLeftOut(): void {
  for (const [name, reason] of Object.entries(dropped)) progress(`without ${name}: ${reason}`);
  progress(`with ${typesAsked.length} types of events to filter by; \`test/http\` has all`);
  progress(
    "without problem+json: Specmatic accepts anything; the workflow `problem-details` asks for it",
  );
  progress(
    "without text/event-stream: for the same reason; `petstore check` and `test/http` read streams",
  );
  progress(
    "without default responses: Specmatic cannot send a malformed message; `test/wire` does",
  );
}

export function contractForSpecmatic(): Contract {
  const contract = readContract();
  for (const name of Object.keys(dropped)) drop(contract, `#/components/parameters/${name}`);
  const { eventTypes } = contract.components.parameters;
  if (eventTypes?.schema?.items === undefined) throw new Error("eventTypes lists nothing.");
  eventTypes.schema.items = { type: "string", enum: typesAsked };
  // Beside a default response Specmatic does not break the requests of an operation as it would.
  for (const { operation } of operationsOf(contract)) delete operation.responses["default"];
  // Specmatic would want a stream of requests that accept anything, which get the list.
  const [streamed, ...others] = operationsOf(contract).flatMap(({ operation }) => {
    const content = operation.responses["200"]?.content ?? {};
    return "text/event-stream" in content ? [content] : [];
  });
  if (streamed === undefined || others.length > 0) throw new Error("One operation has a stream.");
  delete streamed["text/event-stream"];
  // Specmatic does not read \x00 in a pattern as U+0000, and so makes names with U+0000.
  // This pattern allows a part of the same names, and still does with the `_` at its end by which
  // Specmatic breaks a pattern, so that no good name is sent as a bad one.
  for (const schema of ["NewPet", "PetPatch", "CategoryToCreate", "CategoryPatch"] as const) {
    const { name } = contract.components.schemas[schema].properties;
    if (name.pattern === undefined) throw new Error(`${schema}.name has no pattern to replace.`);
    name.pattern = "^[!-~][!-\ud7a3]*$";
  }
  for (const { operation } of operationsOf(contract)) {
    const missing = { updatePet: "pet_not_found", updateCategory: "category_not_found" }[
      operation.operationId
    ];
    if (missing === undefined || operation.requestBody === undefined) continue;
    const { content } = operation.requestBody;
    // It means the same, and Specmatic would want examples of its own for it.
    delete content["application/merge-patch+json"];
    // Specmatic finds no body for what does not exist.
    const { rename, ...others } = content["application/json"].examples ?? {};
    if (rename === undefined) throw new Error(`${operation.operationId} has no example "rename".`);
    content["application/json"].examples = { ...others, rename, [missing]: rename };
  }
  return contract;
}

/** Fails when there was nothing to drop, so that no exception outlives its reason. */
function drop(contract: Contract, $ref: string): void {
  let count = 0;
  for (const { operation } of operationsOf(contract)) {
    const rest = operation.parameters.filter((parameter) => parameter.$ref !== $ref);
    count += operation.parameters.length - rest.length;
    operation.parameters = rest;
  }
  if (count === 0) throw new Error(`The contract no longer refers to ${$ref}.`);
}

/**
 * The same with the prepared requests as the only examples of their operations. Specmatic makes a
 * request of each example that has a namesake among the examples of a response.
 */
export function withPreparedRequests(
  contract: Contract,
  requests: readonly PreparedRequest[],
): Contract {
  for (const { operation } of operationsOf(contract)) {
    const own = requests.filter((request) => request.operation === operation.operationId);
    if (own.length === 0) continue;
    const valuesOf = (member: "body" | "orderId" | "petId" | "categoryId" | "prefer") => ({
      examples: Object.fromEntries(
        own
          .filter((request) => request[member] !== undefined)
          .map((request) => [request.name, { value: request[member] }]),
      ),
    });
    operation.parameters = operation.parameters.map(({ $ref = "" }) => {
      const name = $ref.split("/").at(-1) ?? "";
      const { example: _, ...parameter } = contract.components.parameters[name] ?? {};
      if (name === "orderId" || name === "petId" || name === "prefer")
        return { ...parameter, ...valuesOf(name) };
      if (name === "categoryIdInPath") return { ...parameter, ...valuesOf("categoryId") };
      throw new Error(`${operation.operationId} has gained ${name}, which no request prepares.`);
    });
    const media = operation.requestBody?.content["application/json"];
    if (media !== undefined) Object.assign(media, valuesOf("body"));
    for (const [status, response] of Object.entries(operation.responses)) {
      const names = own.filter((request) => request.status === Number(status));
      operation.responses[status] = withExamples(
        resolve(contract, response),
        names.map(({ name }) => name),
      );
    }
  }
  return contract;
}

function resolve(contract: Contract, response: Response & { readonly $ref?: string }): Response {
  if (response.$ref === undefined) return response;
  const found = contract.components.responses[response.$ref.split("/").at(-1) ?? ""];
  if (found === undefined) throw new Error(`The contract has no ${response.$ref}.`);
  return structuredClone(found);
}

/** Gives each name the first examples of the response. Specmatic holds answers to the schema only. */
function withExamples(response: Response, names: readonly string[]): Response {
  const json = response.content?.["application/json"];
  for (const part of [json, ...Object.values(response.headers ?? {})]) {
    const first = Object.values(part?.examples ?? {})[0];
    if (part === undefined || first === undefined) continue;
    part.examples = Object.fromEntries(names.map((name) => [name, first]));
  }
  return response;
}
