/** The routing document of a project as a list with a line for each name. */
import type { Domain, Redirect, Routing } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import { isServed, wordsOf } from "./statusWords.ts";

export type RowAnswer = "site" | "primary" | "redirect";

export interface RoutingRow {
  readonly host: string;
  readonly answer: RowAnswer;
  readonly to: string;
  readonly status: number;
}

export const redirectStatuses: Readonly<Record<string, string>> = {
  301: "301, for good",
  302: "302, for now",
  307: "307, for now, same method",
  308: "308, for good, same method",
};

export function rowsOf(hosts: readonly string[], { primary, redirects }: Routing): RoutingRow[] {
  return hosts.map((host) => {
    const redirect = redirects.find(({ from }) => from === host);
    const to = redirect?.to ?? primary ?? hosts.find((each) => each !== host) ?? "";
    const answer = redirect ? "redirect" : host === primary ? "primary" : "site";
    return {
      host,
      answer,
      to: to === host ? (hosts.find((each) => each !== host) ?? "") : to,
      status: redirect?.status ?? 301,
    };
  });
}

export function routingOf(rows: readonly RoutingRow[]): Routing {
  return {
    primary: rows.find(({ answer }) => answer === "primary")?.host ?? null,
    redirects: rows
      .filter(({ answer }) => answer === "redirect")
      .map(({ host, to, status }): Redirect => ({ from: host, to, status })),
  };
}

/** One name answers otherwise; there is at most one primary. */
export function withRow(rows: readonly RoutingRow[], changed: RoutingRow): RoutingRow[] {
  return rows.map((row) => {
    if (row.host === changed.host) return changed;
    const deposed = changed.answer === "primary" && row.answer === "primary";
    return deposed ? { ...row, answer: "site" as const } : row;
  });
}

/** Where somebody most likely wants a name to lead: to the primary one, else to one that is served. */
export function likelyTarget(targets: readonly Domain[]): string {
  const served = targets.filter((each) => isServed(each) && each.role.kind !== "redirect");
  const primary = targets.find(({ role }) => role.kind === "primary");
  return (primary ?? served[0] ?? targets[0])?.host ?? "";
}

/** The names to choose from, each with its status where that is a reason not to. */
export const targetWords = (targets: readonly Domain[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    targets.map((each) => [
      each.host,
      isServed(each) && each.role.kind !== "redirect"
        ? each.host
        : `${each.host} (${wordsOf(each).words})`,
    ]),
  );

export const saveRouting = (slug: string, routing: Routing): Promise<Routing> =>
  call("put", "/projects/{project}/routing", { path: { project: slug }, body: routing });
