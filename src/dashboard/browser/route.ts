/** The current screen, from the fragment of the URL. */
import { observable } from "./observable.ts";

/** The star stands for a name. */
const screens = {
  "": "overview",
  projects: "projects",
  "projects/*": "project",
  "projects/*/domains": "domains",
  "projects/*/domains/*": "domains",
  keys: "keys",
  catalogue: "pets",
  "catalogue/orders": "orders",
  webhooks: "webhooks",
  "webhooks/*": "webhook",
  owners: "owners",
  audit: "audit",
  account: "account",
  "welcome/*": "welcome",
} as const;

export interface Route {
  readonly at: (typeof screens)[keyof typeof screens] | "unknown";
  /** The slug, the id of the endpoint, or the token of the link; of an unknown screen, its path. */
  readonly name: string;
  /** The host of the domain to show. Empty unless there is one. */
  readonly host: string;
}

function routeOf(fragment: string): Route {
  const path = fragment.replace(/^#?\/?/, "");
  const named = /^(?:projects|webhooks|welcome)\/([^/]*)(?:\/domains\/([^/]+))?/;
  const [, name = "", host = ""] = named.exec(path) ?? [];
  const pattern = path
    .replace(/^(projects|webhooks|welcome)\/[^/]*/, "$1/*")
    .replace(/\/domains\/[^/]+/, "/domains/*");
  if (!Object.hasOwn(screens, pattern)) return { at: "unknown", name: path, host: "" };
  return { at: screens[pattern as keyof typeof screens], name: decoded(name), host: decoded(host) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const projectLink = (slug: string): string => `#/projects/${encodeURIComponent(slug)}`;
export const domainsLink = (slug: string): string => `${projectLink(slug)}/domains`;
export const domainLink = (slug: string, host: string): string => `${domainsLink(slug)}/${host}`;

export const webhookLink = (id: string): string => `#/webhooks/${encodeURIComponent(id)}`;

export const route = observable(routeOf(""));

export function watchRoute(): void {
  const look = () => route.set(routeOf(location.hash));
  addEventListener("hashchange", look);
  look();
}

/** Makes the address lead to what is shown, without going there. */
export function mark(fragment: string): void {
  history.replaceState(null, "", fragment);
}

export function go(fragment: string): void {
  location.hash = fragment;
}
