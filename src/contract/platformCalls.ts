/** How the platform's API is called: paths, parameters, bodies and results, typed by its document. */
import type { OperationTypes } from "./document.ts";
import type { paths } from "./generated/platform.ts";

const base = "/internal/v1";

export type Method = "get" | "post" | "put" | "delete";

/** The paths that have an operation of the method. */
export type PathWith<M extends Method> = {
  [Path in keyof paths]: M extends keyof paths[Path] ? Path : never;
}[keyof paths];

type OperationAt<M extends Method, Path extends keyof paths> =
  paths[Path] extends Readonly<Record<M, infer Types extends OperationTypes>> ? Types : never;

type Parameters<Types extends OperationTypes> = Pick<Types["parameters"], "path" | "query">;

type Body<Types> = Types extends { requestBody: { content: infer Content } }
  ? { readonly body: Content extends { "application/json": infer Json } ? Json : Blob }
  : { readonly body?: undefined };

/** Can be left out if nothing in it is required. */
type Optional<T> = Record<never, never> extends T ? [input?: T] : [input: T];

/** `Options` are those of the caller, beside what the operation takes. */
export type CallInput<M extends Method, Path extends keyof paths, Options> = Optional<
  Parameters<OperationAt<M, Path>> & Body<OperationAt<M, Path>> & Options
>;

type Json<Response> = Response extends { content: { "application/json": infer Body } }
  ? Body
  : undefined;

export type ResultOf<M extends Method, Path extends keyof paths> = Json<
  OperationAt<M, Path>["responses"][(200 | 201 | 202 | 204) &
    keyof OperationAt<M, Path>["responses"]]
>;

/** The URL of an operation, with the values of its parameters in the place of their names. */
export function urlOf(
  template: keyof paths,
  { path, query }: OperationTypes["parameters"],
): string {
  const values = (path ?? {}) as Readonly<Record<string, string>>;
  const filled = template.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(values[name] ?? ""),
  );
  // A list is a parameter for each of its values.
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  const search = new URLSearchParams(pairs).toString();
  return `${base}${filled}${search && `?${search}`}`;
}
