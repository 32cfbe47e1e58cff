/** What each attached name of a project serves: the site, or a redirect to another name. */
import { Problem } from "../../core/problems.ts";
import { parseHost } from "./hostName.ts";

export const redirectStatuses = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof redirectStatuses)[number];

export interface Redirect {
  readonly from: string;
  readonly to: string;
  readonly status: RedirectStatus;
}

export interface Routing {
  readonly primary: string | undefined;
  readonly redirects: readonly Redirect[];
}

/** A routing, with the names that it leads to and that are not served: nobody is led there yet. */
export interface RoutingInEffect extends Routing {
  readonly held: ReadonlySet<string>;
}

export const redirectsMax = 100;

/**
 * Every reason why a routing cannot be used with these attached names; none if it can. A redirect
 * leads directly to a name that serves the site, so there are no loops and no chains.
 */
export function routingErrors(routing: Routing, attached: ReadonlySet<string>): string[] {
  const complaints: string[] = [];
  const { primary, redirects } = routing;
  const unattached = (host: string) => `${host} is not attached to this project. Add it first.`;
  if (redirects.length > redirectsMax) {
    complaints.push(
      `A project has at most ${redirectsMax} redirects; these are ${redirects.length}.`,
    );
  }
  if (primary !== undefined && !attached.has(primary)) complaints.push(unattached(primary));
  const targets = new Map(redirects.map(({ from, to }) => [from, to]));
  if (primary !== undefined && targets.has(primary)) {
    complaints.push(
      `${primary} redirects to ${targets.get(primary)}, so it cannot be the primary domain. End that redirect first, or make another one primary.`,
    );
  }
  const seen = new Set<string>();
  const looping = new Set<string>();
  for (const { from, to } of redirects) {
    if (seen.has(from)) complaints.push(`${from} has more than one redirect. Keep one.`);
    seen.add(from);
    for (const host of [from, to]) if (!attached.has(host)) complaints.push(unattached(host));
    const next = targets.get(to);
    if (from === to) complaints.push(`${from} would redirect to itself.`);
    else if (leadsBack(from, targets)) {
      // Reported once, for the first of its names.
      if (!looping.has(from))
        complaints.push(`${from} would redirect in a loop: ${path(from, targets).join(" to ")}.`);
      for (const host of path(from, targets)) looping.add(host);
    } else if (next !== undefined) {
      complaints.push(
        `${from} would redirect to ${to}, which redirects to ${next}. Redirect it to the final host name.`,
      );
    }
  }
  return [...new Set(complaints)];
}

function path(from: string, targets: ReadonlyMap<string, string>): string[] {
  const passed = [from];
  for (let at = targets.get(from); at !== undefined; at = targets.get(at)) {
    const again = passed.includes(at);
    passed.push(at);
    if (again) break;
  }
  return passed;
}

function leadsBack(from: string, targets: ReadonlyMap<string, string>): boolean {
  const passed = path(from, targets);
  return passed.length > 1 && passed.at(-1) === from;
}

/** The names that a routing leads to. */
export function targetsOf({ primary, redirects }: Routing): ReadonlySet<string> {
  return new Set([...(primary === undefined ? [] : [primary]), ...redirects.map(({ to }) => to)]);
}

/** Whether a routing mentions a name. */
export function isNamed(host: string, { primary, redirects }: Routing): boolean {
  return primary === host || redirects.some(({ from, to }) => from === host || to === host);
}

/** The same routing without a name that is removed. */
export function withoutHost({ primary, redirects }: Routing, host: string): Routing {
  return {
    primary: primary === host ? undefined : primary,
    redirects: redirects.filter(({ from, to }) => from !== host && to !== host),
  };
}

/** Parses a routing document. The error lists everything that is wrong with it. */
export function parseRouting(document: unknown): Routing {
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
  if (complaints.length > 0)
    throw new Problem("routing_invalid", { detail: complaints.join("\n") });
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
  const reading = typeof value === "string" ? parseHost(value) : undefined;
  if (reading?.kind === "host") return reading.host;
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

/** Refuses to take away a name that others lead to, or that is the primary one. */
export function refuseDependents({ primary, redirects }: Routing, host: string): void {
  const reasons = [
    ...(primary === host ? ["it is the primary domain"] : []),
    ...redirects.filter(({ to }) => to === host).map(({ from }) => `${from} redirects to it`),
  ];
  if (reasons.length === 0) return;
  throw new Problem("confirmation_needed", {
    detail: `${host} is in use: ${reasons.join(", and ")}. Change that first, or confirm, which deletes those settings.`,
  });
}
