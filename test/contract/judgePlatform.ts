/** Holds every response of the platform's API that a test sees against openapi/platform.yaml. */
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { parse } from "yaml";
import { platformProblems, problems } from "../../src/core/problems.ts";

type Node = Record<string, unknown>;

const source = new URL("../../openapi/platform.yaml", import.meta.url);
export const platformDocument = parse(readFileSync(source, "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(closed(platformDocument) as Node, "platform");

/** The same, and no object may have members that are not described. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(merged(node as Node)).map(([name, value]) => [name, closed(value)]),
  );
  return copy["properties"] === undefined ? copy : { ...copy, additionalProperties: false };
}

/** One object instead of the parts that `allOf` puts together. */
function merged(node: Node): Node {
  if (!Array.isArray(node["allOf"])) return node;
  const parts = (node["allOf"] as Node[]).map(({ $ref, ...part }) =>
    typeof $ref === "string"
      ? (platformDocument.components.schemas[$ref.split("/").at(-1) ?? ""] as Node)
      : part,
  );
  return {
    type: "object",
    required: parts.flatMap(({ required }) => required),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  };
}

const validators = new Map<string, ValidateFunction | undefined>();

function schemaErrors(pointer: string, value: unknown): string[] {
  if (!validators.has(pointer)) {
    validators.set(pointer, ajv.getSchema(`platform#${encodeURI(pointer)}`));
  }
  const validate = validators.get(pointer);
  if (validate === undefined) return [`there is no schema at ${pointer}`];
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export interface SeenResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Throws unless the document allows this response to this request. */
export function judgePlatform(method: string, path: string, seen: SeenResponse): void {
  const complaints = seen.status >= 400 ? errorComplaints(seen) : complaintsOf(method, path, seen);
  if (complaints.length === 0) return;
  const what = `${method} ${path} answered ${seen.status} ${seen.text.slice(0, 300)}`;
  throw new Error(`${what}\nwhich platform.yaml does not allow: ${complaints.join("; ")}`);
}

function complaintsOf(method: string, path: string, { status, headers, text }: SeenResponse) {
  const [address = ""] = path.split("?", 1);
  const template = Object.keys(platformDocument.paths).find((each) =>
    new RegExp(`^${each.replace(/\{\w+\}/g, "[^/]+")}$`).test(address),
  );
  const operation = platformDocument.paths[template ?? ""]?.[method.toLowerCase()];
  const declared = (operation?.["responses"] as Node | undefined)?.[status] as Node | undefined;
  if (declared === undefined) return [`status ${status} is not declared`];
  const at =
    typeof declared["$ref"] === "string"
      ? declared["$ref"].slice(1)
      : `/paths/${template?.replaceAll("/", "~1")}/${method.toLowerCase()}/responses/${status}`;
  const name = at.split("/").at(-1) ?? "";
  const { responses } = platformDocument.components as unknown as { responses: Node };
  const { content } = (declared["$ref"] === undefined ? declared : responses[name]) as Node;
  if (content === undefined) return text === "" ? [] : ["it has a body"];
  const [type = "none"] = (headers.get("content-type") ?? "none").split(";");
  if (!(type in (content as Node))) return [`content type ${type}`];
  if (type !== "application/json") return [];
  return schemaErrors(`${at}/content/application~1json/schema`, JSON.parse(text));
}

function errorComplaints({ status, headers, text }: SeenResponse): string[] {
  const error = JSON.parse(text) as { code: string; status: number };
  const complaints = schemaErrors("/components/schemas/Error", error);
  const registered = { ...problems, ...platformProblems } as Record<string, { status: number }>;
  if (error.status !== status) complaints.push(`status ${error.status} in the body`);
  if (registered[error.code]?.status !== status) complaints.push(`${error.code} with ${status}`);
  if (status === 401 && headers.get("www-authenticate") === null) {
    complaints.push("a 401 has no WWW-Authenticate");
  }
  if (status === 405 && headers.get("allow") === null) complaints.push("405, no Allow");
  return complaints;
}
