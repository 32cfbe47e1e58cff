/** The routing document of a project as a list with a row for each host name. */
import type { Domain, Redirect, Routing } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import { isServed, statusOf } from "./status.ts";

export type RoutingMode = "site" | "primary" | "redirect";

export interface RoutingRow {
  readonly host: string;
  readonly mode: RoutingMode;
  readonly to: string;
  readonly status: number;
}

export const redirectStatuses: Readonly<Record<string, string>> = {
  301: "301, permanent",
  302: "302, temporary",
  307: "307, temporary, same method",
  308: "308, permanent, same method",
};

export function rowsOf(hosts: readonly string[], { primary, redirects }: Routing): RoutingRow[] {
  return hosts.map((host) => {
    const redirect = redirects.find(({ from }) => from === host);
    const other = primary === host ? undefined : primary;
    const to = redirect?.to ?? other ?? hosts.find((each) => each !== host) ?? "";
    const mode = redirect ? "redirect" : host === primary ? "primary" : "site";
    return { host, mode, to, status: redirect?.status ?? 301 };
  });
}

export function routingOf(rows: readonly RoutingRow[]): Routing {
  return {
    primary: rows.find(({ mode }) => mode === "primary")?.host ?? null,
    redirects: rows
      .filter(({ mode }) => mode === "redirect")
      .map(({ host, to, status }): Redirect => ({ from: host, to, status })),
  };
}

/** Replaces a row. There is at most one primary. */
export function withRow(rows: readonly RoutingRow[], changed: RoutingRow): RoutingRow[] {
  return rows.map((row) => {
    if (row.host === changed.host) return changed;
    const deposed = changed.mode === "primary" && row.mode === "primary";
    return deposed ? { ...row, mode: "site" as const } : row;
  });
}

/** The likeliest target of a redirect: the primary domain, else one that is served. */
export function likelyTarget(targets: readonly Domain[]): string {
  const served = targets.filter((each) => isServed(each) && each.role.kind !== "redirect");
  const primary = targets.find(({ role }) => role.kind === "primary");
  return (primary ?? served[0] ?? targets[0])?.host ?? "";
}

/** The targets to choose from, with their status unless they are served. */
export const targetLabels = (targets: readonly Domain[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    targets.map((each) => [
      each.host,
      isServed(each) && each.role.kind !== "redirect"
        ? each.host
        : `${each.host} (${statusOf(each).label})`,
    ]),
  );

/** Saves the routing with one row changed. */
export const saveRow = (
  slug: string,
  hosts: readonly string[],
  routing: Routing,
  row: RoutingRow,
): Promise<Routing> => saveRows(slug, withRow(rowsOf(hosts, routing), row), routing);

/** Refused if somebody else has changed the routing since it was read as `before`. */
export const saveRows = (
  slug: string,
  rows: readonly RoutingRow[],
  { version }: Routing,
): Promise<Routing> =>
  call("put", "/projects/{project}/routing", {
    path: { project: slug },
    body: { ...routingOf(rows), ...(version === undefined ? {} : { version }) },
  });
