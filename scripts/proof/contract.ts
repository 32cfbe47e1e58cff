/** The contract, as far as these scripts look into it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "./run.ts";

export interface WithExamples {
  examples?: Record<string, { value: unknown }>;
}

export interface Parameter extends WithExamples {
  readonly $ref?: string;
  example?: unknown;
  schema?: { items?: { readonly $ref: string } | { readonly type: "string"; enum: string[] } };
}

export interface Response {
  headers?: Record<string, WithExamples>;
  content?: Record<string, WithExamples>;
}

export interface Operation {
  operationId: string;
  parameters: Parameter[];
  requestBody?: {
    content: { "application/json": WithExamples; "application/merge-patch+json"?: WithExamples };
  };
  responses: Record<string, Response & { readonly $ref?: string }>;
}

export interface Contract {
  paths: Record<string, Record<string, Operation>>;
  components: {
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
    schemas: Record<
      "NewPet" | "PetPatch" | "CategoryToCreate" | "CategoryPatch",
      { properties: { name: { pattern?: string } } }
    >;
  };
}

export function readContract(): Contract {
  return parse(readFileSync(join(root, "openapi/petstore.yaml"), "utf8"));
}

export function operationsOf(contract: Contract) {
  return Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}
