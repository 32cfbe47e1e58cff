/** Changes of a project's primary domain and redirects. */
import type { Domain, Routing } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import { isServed } from "./status.ts";

export const redirectStatuses: Readonly<Record<string, string>> = {
  301: "301, permanent",
  302: "302, temporary",
  307: "307, temporary, same method",
  308: "308, permanent, same method",
};

export const withPrimary = (routing: Routing, host: string): Routing => ({
  ...withSite(routing, host),
  primary: host,
});

/** Where the other one redirected back, that ends. */
export function withRedirect(routing: Routing, from: string, to: string, status: number): Routing {
  const { redirects, ...rest } = withSite(routing, from);
  const others = redirects.filter((other) => other.from !== to || other.to !== from);
  return { ...rest, redirects: [...others, { from, to, status }] };
}

/** It shows the site, and is not the primary domain. */
export const withSite = ({ primary, redirects, ...rest }: Routing, host: string): Routing => ({
  ...rest,
  primary: primary === host ? null : primary,
  redirects: redirects.filter(({ from }) => from !== host),
});

/** The likeliest target of a redirect: the primary domain, else one that is served. */
export function likelyTarget(host: string, { primary }: Routing, seen: readonly Domain[]): string {
  if (primary !== null && primary !== host) return primary;
  const others = seen.filter((each) => each.host !== host && each.role.kind !== "redirect");
  return (others.find(isServed) ?? others[0])?.host ?? "";
}

/** Refused if somebody else has changed the routing since it was read. */
export const saveRouting = (slug: string, routing: Routing): Promise<Routing> =>
  call("put", "/projects/{project}/routing", { path: { project: slug }, body: routing });
