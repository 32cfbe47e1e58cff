import { allOperations, type Operation } from "../contract/operations.ts";
import { Problem } from "../problems.ts";

/** A path of the contract and the operations on it, by method. */
export interface Place {
  readonly operations: ReadonlyMap<string, Operation>;
  /** For the `Allow` header. */
  readonly methods: string;
}

/** Raw segments by parameter name, as they stand in the address. */
export type PathParameters = Readonly<Record<string, string>>;

export interface Match {
  readonly place: Place;
  readonly path: PathParameters;
}

interface Template {
  readonly place: Place;
  /** The parameter's name for a segment in braces, otherwise the text that must stand there. */
  readonly segments: readonly { readonly text: string; readonly parameter: boolean }[];
}

function templates(operations: readonly Operation[]): Template[] {
  const byPath = Map.groupBy(operations, (operation) => operation.path);
  return [...byPath].map(([path, those]) => {
    const methods = those.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    return {
      place: {
        operations: new Map(those.map((operation) => [operation.method, operation])),
        methods: methods.join(", "),
      },
      segments: path
        .slice(1)
        .split("/")
        .map((text) =>
          text.startsWith("{")
            ? { text: text.slice(1, -1), parameter: true }
            : { text, parameter: false },
        ),
    };
  });
}

const known = templates(allOperations);
const plain = new Map(
  known
    .filter(({ segments }) => segments.every(({ parameter }) => !parameter))
    .map(({ place, segments }) => [`/${segments.map(({ text }) => text).join("/")}`, place]),
);
const none = {};

/** Finds the place of a path that is relative to the base address. */
export function route(path: string): Match | undefined {
  const place = plain.get(path);
  if (place !== undefined) return { place, path: none };
  const given = path.slice(1).split("/");
  for (const template of known) {
    const parameters = matched(template, given);
    if (parameters !== undefined) return { place: template.place, path: parameters };
  }
  return undefined;
}

function matched(template: Template, given: readonly string[]): Record<string, string> | undefined {
  if (template.segments.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, { text, parameter }] of template.segments.entries()) {
    const segment = given[index] ?? "";
    if (parameter ? segment === "" : segment !== text) return undefined;
    if (parameter) parameters[text] = segment;
  }
  return parameters;
}

export function notAllowed(methods: string): Problem {
  return new Problem("method_not_allowed", {
    detail: `This path takes ${methods}.`,
    headers: { allow: methods },
  });
}
