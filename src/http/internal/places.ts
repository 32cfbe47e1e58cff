/** Finds the handlers of a path. */

import type { Actor } from "../../domains/desk.ts";
import type { MaybePromise } from "../../maybePromise.ts";
import { Problem } from "../../problems.ts";
import type { HttpRequest } from "../../wire/message.ts";

export interface InternalCall {
  readonly actor: Actor;
  /** The segments in braces by their names, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** For what is no JSON: contents of files, and large lists of them. */
  readonly request: HttpRequest;
  /** The body as a JSON value, whatever it is. */
  readonly body: () => Promise<unknown>;
  /** Whether the one who asked is still known by the same credential. */
  readonly stillKnown: () => Promise<boolean>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

export interface InternalAnswer {
  readonly status: number;
  /** Sent as JSON; none where it is undefined. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, for as long as it goes on. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

export type InternalHandler = (call: InternalCall) => MaybePromise<InternalAnswer>;

/** Handlers by path, with names in braces, and method. */
export type Places = Readonly<Record<string, Readonly<Record<string, InternalHandler>>>>;

export interface Place {
  readonly template: string;
  readonly handlers: Readonly<Record<string, InternalHandler>>;
  readonly path: Readonly<Record<string, string>>;
}

export function placeOf(places: Places, path: string): Place {
  const given = path.split("/");
  for (const [template, handlers] of Object.entries(places)) {
    const parameters = matched(template.split("/"), given);
    if (parameters !== undefined) return { template, handlers, path: parameters };
  }
  throw new Problem("path_not_found");
}

export function handlerOf({ handlers }: Place, method: string): InternalHandler {
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (handler !== undefined) return handler;
  const allow = Object.keys(handlers).join(", ");
  throw new Problem("method_not_allowed", {
    detail: `This path takes ${allow}.`,
    headers: { allow },
  });
}

function matched(
  template: readonly string[],
  given: readonly string[],
): Record<string, string> | undefined {
  if (template.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const segment = given[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== segment) return undefined;
      continue;
    }
    const text = decoded(segment);
    if (text === "") return undefined;
    parameters[part.slice(1, -1)] = text;
  }
  return parameters;
}

/** Empty for what is no text. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

/** All of both; a path that both know takes the methods of both. */
export function joinPlaces(one: Places, other: Places): Places {
  const joined: Record<string, Places[string]> = { ...one };
  for (const [template, handlers] of Object.entries(other)) {
    joined[template] = { ...joined[template], ...handlers };
  }
  return joined;
}
