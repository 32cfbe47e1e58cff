/** Samples of a call in three languages, from the examples in the contract. */
import { curlCommand } from "./browser/request.ts";
import type { Json, Operation } from "./contract.ts";
import { indentJson } from "./indentJson.ts";

export interface Sample {
  readonly language: "curl" | "typescript" | "python";
  readonly label: string;
  /** The language for highlighting. */
  readonly highlight: string;
  readonly text: string;
}

/** Required parameters, and optional ones that have a scalar example: no cursor, which only the service can make. */
export interface SampleInput {
  readonly path: readonly [name: string, value: Json][];
  readonly query: readonly [name: string, value: Json][];
  readonly body: Json | undefined;
}

export function samplesOf(operation: Operation): Sample[] {
  const input = inputOf(operation);
  return [
    { language: "curl", label: "curl", highlight: "sh", text: curl(operation, input) },
    {
      language: "typescript",
      label: "TypeScript",
      highlight: "ts",
      text: typescript(operation, input),
    },
    { language: "python", label: "Python", highlight: "python", text: python(operation, input) },
  ];
}

function inputOf(operation: Operation): SampleInput {
  const given = (location: string) =>
    operation.parameters
      .filter((parameter) => parameter.in === location && parameter.name !== "cursor")
      .flatMap(({ name, required, example }): [string, Json][] =>
        example === undefined || (!required && typeof example === "object")
          ? []
          : [[name, example]],
      );
  return {
    path: given("path"),
    query: given("query"),
    body: operation.body?.examples[0]?.value,
  };
}

function addressOf(operation: Operation, { path }: SampleInput): string {
  return path.reduce(
    (address, [name, value]) => address.replace(`{${name}}`, encodeURIComponent(String(value))),
    operation.path,
  );
}

function curl(operation: Operation, input: SampleInput): string {
  const query = input.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join("&");
  const address = `$BASE_URL${addressOf(operation, input)}${query === "" ? "" : `?${query}`}`;
  const headers = input.body === undefined ? [] : ['"Content-Type: application/json"'];
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  return curlCommand(operation.method, `"${address}"`, headers, body);
}

function typescript(operation: Operation, input: SampleInput): string {
  const result = operation.responses[0]?.body?.schema;
  const list = result?.type === "array";
  const name = list ? "page" : resultName(operation);
  const call = `await client.${typescriptCall(operation, input)};`;
  return `import { PetStoreClient } from "petstore-client";

const client = new PetStoreClient({
  baseUrl: process.env.BASE_URL ?? "",
  apiKey: process.env.API_KEY ?? "",
});

${result === undefined ? call : `const ${name} = ${call}\nconsole.log(${list ? "page.items" : name});`}`;
}

function resultName(operation: Operation): string {
  const schema = operation.responses[0]?.body?.schema["x-name"];
  const name = typeof schema === "string" && /^[A-Z]\w*$/.test(schema) ? schema : "Result";
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function typescriptCall(operation: Operation, { path, query, body }: SampleInput): string {
  const rest = body ?? (query.length > 0 ? Object.fromEntries(query) : undefined);
  const [only] = path;
  if (path.length > 1 || (only !== undefined && rest !== undefined)) {
    const input = {
      path: Object.fromEntries(path),
      ...(query.length > 0 ? { query: Object.fromEntries(query) } : {}),
      ...(body === undefined ? {} : { body }),
    };
    return `call("${operation.id}", ${literal(input)})`;
  }
  const argument = only === undefined ? rest : only[1];
  return `${operation.id}(${argument === undefined ? "" : literal(argument)})`;
}

/** A JSON value as TypeScript writes it: names without quotes. */
function literal(value: Json): string {
  return indentJson(JSON.stringify(value)).replace(/"([A-Za-z_$][\w$]*)":/g, "$1:");
}

function python(operation: Operation, input: SampleInput): string {
  const lines = [
    `f"{os.environ['BASE_URL']}${addressOf(operation, input)}"`,
    `headers={"Authorization": f"Bearer {os.environ['API_KEY']}"}`,
  ];
  if (input.query.length > 0)
    lines.push(`params=${pythonLiteral(Object.fromEntries(input.query))}`);
  if (input.body !== undefined) lines.push(`json=${pythonLiteral(input.body)}`);
  lines.push("timeout=10");
  return `import os
import requests  # pip install requests

response = requests.${operation.method.toLowerCase()}(
${lines.map((line) => `    ${line},`).join("\n")}
)
response.raise_for_status()${operation.responses[0]?.body === undefined ? "" : "\nprint(response.json())"}`;
}

function pythonLiteral(value: Json): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`,
    );
    return `{${members.join(", ")}}`;
  }
  return JSON.stringify(value);
}
