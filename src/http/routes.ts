/** Finds the operations of a path. */
import type { Operation } from "../contract/document.ts";
import { Problem } from "../core/problems.ts";

/** The paths of the two APIs on the service's own origin. */
export const publicPrefix = "/v1";
export const platformPrefix = "/internal/v1";

export function isUnder(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}

/** A path of a document and the operations on it, by method. */
export interface Route<Id extends string> {
  readonly operations: ReadonlyMap<string, Operation<Id>>;
  /** For the `Allow` header. */
  readonly methods: string;
}

/** Raw segments by parameter name, as in the URL. */
export type PathParameters = Readonly<Record<string, string>>;

export interface Match<Id extends string> {
  readonly route: Route<Id>;
  readonly path: PathParameters;
}

interface Segment {
  /** The parameter's name for a segment in braces, otherwise the literal text. */
  readonly text: string;
  readonly parameter: boolean;
}

interface Template<Id extends string> {
  readonly route: Route<Id>;
  readonly segments: readonly Segment[];
}

const none = {};

export class Routes<Id extends string> {
  readonly #templates: readonly Template<Id>[];
  /** Those without parameters, by their whole path. */
  readonly #plain: ReadonlyMap<string, Route<Id>>;

  /** `head`: HEAD is served wherever GET is. */
  constructor(operations: readonly Operation<Id>[], { head }: { readonly head: boolean }) {
    const byPath = Map.groupBy(operations, ({ path }) => path);
    this.#templates = [...byPath].map(([path, those]) => ({
      route: routeOf(those, head),
      segments: path
        .slice(1)
        .split("/")
        .map((text) =>
          text.startsWith("{")
            ? { text: text.slice(1, -1), parameter: true }
            : { text, parameter: false },
        ),
    }));
    this.#plain = new Map(
      this.#templates
        .filter(({ segments }) => segments.every(({ parameter }) => !parameter))
        .map(({ route, segments }) => [`/${segments.map(({ text }) => text).join("/")}`, route]),
    );
  }

  /** `path` is relative to the base URL. */
  match(path: string): Match<Id> | undefined {
    const route = this.#plain.get(path);
    if (route !== undefined) return { route, path: none };
    const given = path.slice(1).split("/");
    for (const template of this.#templates) {
      const parameters = matched(template, given);
      if (parameters !== undefined) return { route: template.route, path: parameters };
    }
    return undefined;
  }
}

function routeOf<Id extends string>(those: readonly Operation<Id>[], head: boolean): Route<Id> {
  const operations = new Map(those.map((operation) => [operation.method, operation]));
  const get = operations.get("GET");
  const methods = those.flatMap(({ method }) =>
    method === "GET" && head ? ["GET", "HEAD"] : [method],
  );
  if (get !== undefined && head) operations.set("HEAD", get);
  return { operations, methods: methods.join(", ") };
}

function matched<Id extends string>(
  { segments }: Template<Id>,
  given: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  // By index: for every request, iterating over entries would take twice as long.
  for (let index = 0; index < given.length; index++) {
    const { text, parameter } = segments[index] as Segment;
    const segment = given[index] as string;
    if (parameter ? segment === "" : segment !== text) return undefined;
    if (parameter) parameters[text] = segment;
  }
  return parameters;
}

export function notAllowed(methods: string): Problem {
  return new Problem("method_not_allowed", {
    detail: `Allowed methods: ${methods}.`,
    headers: { allow: methods },
  });
}
