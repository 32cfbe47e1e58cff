/** Holds every response that a test sees against the contract. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import document from "../src/contract/generated/document.json" with { type: "json" };
import { problems } from "../src/core/problems.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, "contract");

type Node = Record<string, unknown>;

function at(pointer: string): Node | undefined {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/"));
  return steps.reduce<Node | undefined>((node, step) => node?.[step] as Node | undefined, document);
}

/** Follows references from a pointer, and returns the pointer of what is really there. */
function settle(pointer: string): string {
  const ref = at(pointer)?.["$ref"];
  return typeof ref === "string" ? settle(ref.slice(1)) : pointer;
}

function templateOf(path: string): string | undefined {
  return Object.keys(document.paths).find((template) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
}

export interface SeenResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Throws unless the contract allows this response to this request. */
export function judge(method: string, url: string, seen: SeenResponse): void {
  const path = new URL(url).pathname.replace(/^\/v1/, "");
  if (path === "/openapi.json") return;
  const template = templateOf(path);
  // Methods are case-sensitive: `Get` is none that the contract has.
  const verb = /^[A-Z]+$/.test(method) ? (method === "HEAD" ? "get" : method.toLowerCase()) : "";
  const operation = `/paths/${template?.replaceAll("/", "~1")}/${verb}`;
  const complaints: string[] = [];
  if (template === undefined || at(operation) === undefined) {
    judgeError(method, seen, complaints);
  } else {
    judgeDeclared(operation, method, seen, complaints);
  }
  if (complaints.length > 0) {
    const what = `${method} ${url} answered ${seen.status} ${seen.text.slice(0, 300)}`;
    throw new Error(`${what}\nwhich the contract does not allow: ${complaints.join("; ")}`);
  }
}

function judgeDeclared(
  operation: string,
  method: string,
  seen: SeenResponse,
  complaints: string[],
) {
  const exact = settle(`${operation}/responses/${seen.status}`);
  const response = at(exact) === undefined ? settle(`${operation}/responses/default`) : exact;
  const declared = at(response);
  if (declared === undefined) {
    complaints.push(`status ${seen.status} is not declared`);
    return;
  }
  for (const [name, header] of Object.entries((declared["headers"] ?? {}) as Node)) {
    const pointer = settle(`${response}/headers/${name}`);
    const given = seen.headers.get(name);
    const { required, schema } = (at(pointer) ?? header) as { required?: boolean; schema: Node };
    if (given === null) {
      if (required) complaints.push(`header ${name} is missing`);
    } else {
      const value = schema["type"] === "integer" ? Number(given) : given;
      complaints.push(...schemaErrors(`${pointer}/schema`, value, `header ${name}`));
    }
  }
  const named = Object.keys((declared["headers"] ?? {}) as Node).map((name) => name.toLowerCase());
  for (const name of seen.headers.keys()) {
    const excused = fromHttp.test(name) || (saidOnce.test(name) && !declaresAll.has(seen.status));
    if (!named.includes(name) && !excused) complaints.push(`header ${name} is not declared`);
  }
  if (seen.status === 304 || seen.status === 204) {
    if (seen.text !== "") complaints.push(`a ${seen.status} has a body`);
    return;
  }
  const media = mediaOf(seen).replace("/", "~1");
  judgeBody(`${response}/content/${media}/schema`, method, seen, complaints);
  if (seen.status >= 400) judgeError(method, seen, complaints);
}

/** What HTTP itself adds. */
const fromHttp = /^(content-(type|length)|date|connection|access-control-.*)$/;
/** What the contract says once for every response, except those that declare all their headers. */
const saidOnce = /^(cache-control|x-request-id|ratelimit(-policy)?|deprecation|sunset|link)$/;
const declaresAll = new Set([304, 404]);
const errorMedia = ["application/json", "application/problem+json"];
const mediaOf = ({ headers }: SeenResponse) => headers.get("content-type") ?? "none";

/** What holds of every error, on whatever path. */
function judgeError(method: string, seen: SeenResponse, complaints: string[]) {
  const schema = mediaOf(seen) === "application/problem+json" ? "Problem" : "Error";
  judgeBody(`/components/schemas/${schema}`, method, seen, complaints);
  if (seen.headers.get("x-request-id") === null) complaints.push("an error has no X-Request-Id");
  if (seen.status === 401 && seen.headers.get("www-authenticate") === null) {
    complaints.push("a 401 has no WWW-Authenticate");
  }
  if (seen.status === 405 && seen.headers.get("allow") === null) complaints.push("405, no Allow");
  if (method === "HEAD" || complaints.length > 0) return;
  const { code, status } = JSON.parse(seen.text) as { code: keyof typeof problems; status: number };
  if (status !== seen.status) complaints.push(`status ${status} in the body`);
  if (problems[code].status !== seen.status) complaints.push(`${code} with ${seen.status}`);
}

function judgeBody(pointer: string, method: string, seen: SeenResponse, complaints: string[]) {
  const expected = seen.status < 400 ? ["application/json"] : errorMedia;
  if (!expected.includes(mediaOf(seen))) complaints.push(`content type ${mediaOf(seen)}`);
  if (method === "HEAD") {
    if (seen.text !== "") complaints.push("a HEAD response has a body");
    return;
  }
  try {
    complaints.push(...schemaErrors(pointer, JSON.parse(seen.text), "body"));
  } catch (cause) {
    complaints.push(`body is no JSON: ${cause}`);
  }
}

function schemaErrors(pointer: string, value: unknown, what: string): string[] {
  const fragment = encodeURI(pointer);
  const validate = ajv.getSchema(`contract#${fragment}`);
  if (validate === undefined) return [`${what} has no schema at ${pointer}`];
  validate(value);
  return (validate.errors ?? []).map((error) => `${what}${error.instancePath} ${error.message}`);
}

/** What the contract does not allow in the data of an event. */
export function eventErrors(type: string, data: unknown): string[] {
  const kind = type.split(".")[0];
  return schemaErrors(settle(`/components/schemas/Event/x-data/${kind}`), data, type);
}
