// Writes what the program needs of the OpenAPI documents into src/contract/generated/: each as JSON,
// because parsing YAML would cost half of the start-up time, and its types.
// Run by `npm run contract`; a test fails while they are out of step.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString, type OpenAPITSOptions } from "openapi-typescript";
import ts from "typescript";
import { parse } from "yaml";

const folder = new URL("../src/contract/generated/", import.meta.url);

/** An int64 does not fit a JavaScript number, so the types of the program carry it as a bigint. */
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

type Node = Record<string, unknown>;
interface Document extends Node {
  readonly paths: Record<string, Node>;
  readonly components: Record<string, Node>;
}

/** By the names of the files. */
export async function generate(): Promise<Readonly<Record<string, string>>> {
  const petstore = documentOf("petstore");
  const platform = documentOf("platform");
  return {
    "document.json": jsonOf(petstore),
    "types.ts": await typesOf("petstore", petstore, {
      transform: (schema) => (schema.format === "int64" ? bigint : undefined),
    }),
    "platform.json": jsonOf(requestsOf(platform)),
    "platform.ts":
      (await typesOf("platform", platform, {
        immutable: true,
        rootTypes: true,
        rootTypesNoSchemaPrefix: true,
      })) + pathsOf(platform),
  };
}

function documentOf(name: string): Document {
  return parse(readFileSync(new URL(`../openapi/${name}.yaml`, import.meta.url), "utf8"));
}

const jsonOf = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;

async function typesOf(
  name: string,
  document: Document,
  options: OpenAPITSOptions,
): Promise<string> {
  const notice = `// Generated from openapi/${name}.yaml by \`npm run contract\`. Change the contract, not this.\n`;
  // A webhook is an operation of the receiver's, which neither the service nor its client has.
  const own = { ...structuredClone(document), webhooks: {} };
  const types = await openapiTS(own as never, {
    alphabetize: false,
    ...options,
  });
  // The client names operations by their ids; for the dashboard, pathsOf is enough.
  return notice + astToString(types.filter((node) => !isNamed(node, ["paths", "webhooks"])));
}

/** The operations by path and method, without the parameters that each operation already has. */
function pathsOf({ paths }: Document): string {
  const lines = Object.entries(paths).map(([path, { parameters: _parameters, ...methods }]) => {
    const operations = Object.entries(methods).map(
      ([method, operation]) =>
        `readonly ${method}: operations["${(operation as Node)["operationId"]}"]`,
    );
    return `    readonly "${path}": { ${operations.join("; ")} };\n`;
  });
  return `export interface paths {\n${lines.join("")}}\n`;
}

function isNamed(node: ts.Node, names: readonly string[]): boolean {
  const named = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  return named && names.includes(node.name.text);
}

/** What requests are read by. The document itself is served to nobody. */
function requestsOf({ security, paths, components }: Document) {
  const withoutResponses = Object.fromEntries(
    Object.entries(paths).map(([path, { parameters, ...methods }]) => [
      path,
      {
        ...(parameters === undefined ? {} : { parameters }),
        ...Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => {
            const { responses: _responses, description: _text, ...rest } = operation as Node;
            return [method, rest];
          }),
        ),
      },
    ]),
  );
  const schemas = new Map<string, unknown>();
  const follow = (node: unknown) => {
    const text = JSON.stringify(node);
    for (const [, name = ""] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (schemas.has(name)) continue;
      schemas.set(name, components["schemas"]?.[name]);
      follow(components["schemas"]?.[name]);
    }
  };
  follow([withoutResponses, components["parameters"]]);
  return {
    security,
    paths: withoutResponses,
    components: { parameters: components["parameters"], schemas: Object.fromEntries(schemas) },
  };
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(await generate())) {
    writeFileSync(new URL(name, folder), text);
  }
}
