/** Reads a routing document as people write it, and says everything that is wrong with it. */
import { readHost } from "./hostName.ts";
import { DeskRefusal } from "./refusal.ts";
import { type Redirect, type RedirectStatus, type Routing, redirectStatuses } from "./routing.ts";

export function readRouting(document: unknown): Routing {
  const complaints: string[] = [];
  const { primary, redirects, ...others } = objectOf(document, "The document", complaints);
  for (const name of Object.keys(others)) complaints.push(`${name} is not known here.`);
  if (redirects !== undefined && !Array.isArray(redirects)) {
    complaints.push("redirects must be a list.");
  }
  const list = Array.isArray(redirects) ? redirects : [];
  const routing = {
    primary:
      primary === undefined || primary === null
        ? undefined
        : hostOf(primary, "primary", complaints),
    redirects: list.map((each, index) => redirectOf(each, `redirects[${index}]`, complaints)),
  };
  if (complaints.length > 0) throw new DeskRefusal("routing_invalid", complaints.join("\n"));
  return routing;
}

function redirectOf(value: unknown, where: string, complaints: string[]): Redirect {
  const { from, to, status, ...others } = objectOf(value, where, complaints);
  for (const name of Object.keys(others)) complaints.push(`${where}.${name} is not known here.`);
  const known = redirectStatuses.find((each) => each === status);
  if (status !== undefined && known === undefined) {
    complaints.push(`${where}.status must be one of ${redirectStatuses.join(", ")}.`);
  }
  return {
    from: hostOf(from, `${where}.from`, complaints),
    to: hostOf(to, `${where}.to`, complaints),
    status: known ?? (301 satisfies RedirectStatus),
  };
}

function hostOf(value: unknown, where: string, complaints: string[]): string {
  const reading = typeof value === "string" ? readHost(value) : undefined;
  if (reading?.kind === "host") return reading.name.host;
  complaints.push(
    `${where} must be a host name${reading === undefined ? "." : `. ${reading.why}`}`,
  );
  return "";
}

function objectOf(value: unknown, where: string, complaints: string[]): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  complaints.push(`${where} must be an object.`);
  return {};
}
