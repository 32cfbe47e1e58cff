// Writes what the program needs of openapi/petstore.yaml into src/contract/generated/:
// the document as JSON, because parsing YAML would cost half of the start-up time, and its types.
// Run by `npm run contract`; a test fails while the two are out of step.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { parse } from "yaml";

const source = new URL("../openapi/petstore.yaml", import.meta.url);
const folder = new URL("../src/contract/generated/", import.meta.url);
const notice =
  "// Generated from openapi/petstore.yaml by `npm run contract`. Change the contract, not this.\n";

/** An int64 does not fit a JavaScript number, so the types of the program carry it as a bigint. */
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

export async function generate(): Promise<{ document: string; types: string }> {
  const document = parse(readFileSync(source, "utf8"));
  const types = await openapiTS(structuredClone(document), {
    alphabetize: false,
    transform: (schema) => (schema.format === "int64" ? bigint : undefined),
  });
  return {
    document: `${JSON.stringify(document, null, 2)}\n`,
    types: notice + astToString(types),
  };
}

if (import.meta.main) {
  const { document, types } = await generate();
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL("document.json", folder), document);
  writeFileSync(new URL("types.ts", folder), types);
}
