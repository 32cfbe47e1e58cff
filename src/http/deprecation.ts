import type { Lifecycle } from "../contract/document.ts";
import { int64FromText } from "../contract/int64.ts";
import type { Operation } from "../contract/operations.ts";
import { Problem } from "../core/problems.ts";
import type { PathParameters } from "./routes.ts";

/** Makes the headers that announce the removal of a deprecated operation, for every response. */
export function announcement(lifecycle: Lifecycle) {
  const deprecation = `@${Math.floor(lifecycle.deprecatedAtMs / 1000)}`; // RFC 9745
  const sunset = new Date(lifecycle.sunsetAtMs).toUTCString(); // RFC 8594
  const fillIn = filling(lifecycle.successor);
  // Nearly always the same as for the previous request.
  let known = { base: "", links: "" };
  return (base: string, path: PathParameters): Record<string, string> => {
    if (base !== known.base) known = { base, links: linksUnder(base) };
    const link = `${known.links}${fillIn(path)}>; rel="successor-version"`;
    return { deprecation, sunset, link };
  };
}

function linksUnder(base: string): string {
  const notice = `<${base.slice(0, -"/v1".length)}/docs/guide/deprecation.md>`;
  const kind = 'type="text/markdown"';
  return `${notice}; rel="deprecation"; ${kind}, ${notice}; rel="sunset"; ${kind}, <${base}`;
}

export function isRemoved({ lifecycle }: Operation, nowMs: number): boolean {
  return lifecycle !== undefined && nowMs >= lifecycle.sunsetAtMs;
}

/** Throws `operation_removed` from the announced date on. */
export function refuseRemoved(operation: Operation, nowMs: number): void {
  const { lifecycle } = operation;
  if (lifecycle === undefined || !isRemoved(operation, nowMs)) return;
  const date = new Date(lifecycle.sunsetAtMs).toISOString().slice(0, 10);
  throw new Problem("operation_removed", {
    detail: `${operation.id} was removed on ${date}. Use GET ${lifecycle.successor}.`,
  });
}

/** Identifiers are above 0, so that a listing has nothing of this one. */
const idOfNothing = "0";

/** A client may have sent anything, and a listing takes only identifiers. */
function filling(template: string): (path: PathParameters) => string {
  const [start = "", ...holes] = template.split("{").map((piece) => piece.split("}"));
  return (path) =>
    holes.reduce((filled, [name = "", rest]) => {
      const value = path[name] ?? "";
      return `${filled}${int64FromText(value) === undefined ? idOfNothing : value}${rest}`;
    }, `${start}`);
}
