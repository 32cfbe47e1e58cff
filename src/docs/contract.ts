/** The contract for the pages: operations with all references resolved. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export interface Example {
  readonly name: string;
  readonly summary: string | undefined;
  readonly value: Json;
}

export interface Parameter {
  readonly name: string;
  readonly location: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonObject;
  readonly example: Json | undefined;
}

export interface HeaderField {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly example: Json | undefined;
}

export interface Body {
  readonly description: string;
  readonly schema: JsonObject;
  readonly examples: readonly Example[];
}

export interface SuccessResponse {
  readonly status: number;
  readonly description: string;
  readonly headers: readonly HeaderField[];
  readonly body: Body | undefined;
}

export interface ErrorExample {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly stability: string;
  readonly scopes: readonly string[];
  readonly deprecation: Deprecation | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  /** Below 400. */
  readonly responses: readonly SuccessResponse[];
  readonly errors: readonly ErrorExample[];
}

export interface Deprecation {
  readonly since: string | undefined;
  readonly sunset: string | undefined;
  readonly successor: string | undefined;
}

export interface Contract {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  readonly description: string;
  readonly servers: readonly string[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly Operation[];
}

const methods = ["get", "put", "post", "delete", "patch"];

export function readContract(document: JsonObject): Contract {
  const reader = new ContractReader(document);
  const info = object(document["info"]);
  return {
    title: text(info["title"]),
    version: text(info["version"]),
    summary: text(info["summary"]),
    description: text(info["description"]),
    servers: list(document["servers"]).map((server) => text(object(server)["url"])),
    tags: list(document["tags"])
      .map(object)
      .map((tag) => ({
        name: text(tag["name"]),
        description: text(tag["description"]),
      })),
    operations: Object.entries(object(document["paths"])).flatMap(([path, item]) =>
      methods
        .filter((method) => object(item)[method] !== undefined)
        .map((method) => reader.operation(method, path, object(object(item)[method]))),
    ),
  };
}

class ContractReader {
  readonly #document: JsonObject;

  constructor(document: JsonObject) {
    this.#document = document;
  }

  operation(method: string, path: string, from: JsonObject): Operation {
    const described = Object.entries(object(from["responses"])).map(
      ([status, response]) => [Number(status), this.#resolved(response)] as const,
    );
    return {
      id: text(from["operationId"]),
      method: method.toUpperCase(),
      path,
      summary: text(from["summary"]),
      description: text(from["description"]),
      tag: text(list(from["tags"])[0]),
      stability: text(from["x-stability"]) || "stable",
      scopes: list(from["security"] ?? this.#document["security"])
        .flatMap((requirement) => Object.values(object(requirement)))
        .flatMap((scopes) => list(scopes).map(text)),
      deprecation:
        from["deprecated"] === true
          ? {
              since: optionalText(from["x-deprecated-since"]),
              sunset: optionalText(from["x-sunset"]),
              successor: optionalText(from["x-successor"]),
            }
          : undefined,
      parameters: list(from["parameters"]).map((parameter) => this.#parameter(parameter)),
      body:
        from["requestBody"] === undefined
          ? undefined
          : this.#body(this.#resolved(from["requestBody"])),
      responses: described
        .filter(([status]) => status < 400)
        .map(([status, response]) => this.#response(status, response)),
      errors: described
        .filter(([status]) => status >= 400)
        .flatMap(([status, response]) => this.#errors(status, response)),
    };
  }

  #parameter(from: Json | undefined): Parameter {
    const parameter = this.#resolved(from);
    return {
      name: text(parameter["name"]),
      location: text(parameter["in"]) as Parameter["location"],
      required: parameter["required"] === true,
      description: text(parameter["description"]),
      schema: this.#schema(parameter["schema"]),
      example: parameter["example"] ?? this.#examples(parameter)[0]?.value,
    };
  }

  #response(status: number, from: JsonObject): SuccessResponse {
    return {
      status,
      description: text(from["description"]),
      headers: Object.entries(object(from["headers"])).map(([name, value]) => {
        const header = this.#resolved(value);
        return {
          name,
          description: text(header["description"]),
          required: header["required"] === true,
          example: header["example"] ?? this.#examples(header)[0]?.value,
        };
      }),
      body: from["content"] === undefined ? undefined : this.#body(from),
    };
  }

  #errors(status: number, from: JsonObject): ErrorExample[] {
    return (this.#body(from)?.examples ?? []).map(({ value }) => {
      const { code, message } = object(value);
      return { status, code: text(code), message: text(message) };
    });
  }

  #body(from: JsonObject): Body | undefined {
    const media = object(from["content"])["application/json"];
    if (media === undefined) return undefined;
    return {
      description: text(from["description"]),
      schema: this.#schema(object(media)["schema"]),
      examples: this.#examples(object(media)),
    };
  }

  #examples(from: JsonObject): Example[] {
    return Object.entries(object(from["examples"])).map(([name, example]) => {
      const { summary, value = null } = this.#resolved(example);
      return { name, summary: optionalText(summary), value };
    });
  }

  /** A schema with its references resolved. The depth is limited, since it could contain itself. */
  #schema(from: Json | undefined, depth = 0): JsonObject {
    if (depth > 8) throw new Error("A schema of the contract is nested more than 8 deep.");
    const schema = this.#resolved(from);
    const inside = (value: Json | undefined) => this.#schema(value, depth + 1);
    return {
      ...schema,
      ...(schema["items"] === undefined ? {} : { items: inside(schema["items"]) }),
      ...(schema["properties"] === undefined
        ? {}
        : {
            properties: Object.fromEntries(
              Object.entries(object(schema["properties"])).map(([name, value]) => [
                name,
                inside(value),
              ]),
            ),
          }),
    };
  }

  /** Resolves a `$ref`; members beside it win. The name is kept as `x-name`. */
  #resolved(from: Json | undefined): JsonObject {
    const value = object(from);
    if (typeof value["$ref"] !== "string") return value;
    const { $ref, ...beside } = value;
    const steps = $ref.replace(/^#\//, "").split("/");
    let target: Json | undefined = this.#document;
    for (const step of steps) {
      target = object(target)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    if (target === undefined) throw new Error(`The contract refers to ${$ref}, which it lacks.`);
    return { "x-name": steps.at(-1) ?? "", ...this.#resolved(target), ...beside };
  }
}

export function object(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}

function optionalText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
