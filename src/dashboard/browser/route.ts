/** The current screen, from the fragment of the URL. */
import { observable } from "./observable.ts";

export type Route =
  | { readonly at: "overview" | "projects" | "keys" | "owners" | "account" | "unknown" }
  | { readonly at: "welcome"; readonly token: string }
  | { readonly at: "project" | "domains"; readonly slug: string }
  | { readonly at: "pets" | "orders" };

const plain = {
  "": "overview",
  projects: "projects",
  keys: "keys",
  owners: "owners",
  account: "account",
} as const;

export function routeOf(fragment: string): Route {
  const [first = "", second, third, ...more] = fragment.replace(/^#?\/?/, "").split("/");
  if (more.length > 0) return { at: "unknown" };
  if (second === undefined) {
    if (first === "catalogue") return { at: "pets" };
    return { at: Object.hasOwn(plain, first) ? plain[first as keyof typeof plain] : "unknown" };
  }
  if (first === "projects") {
    const slug = decoded(second);
    if (third === undefined) return { at: "project", slug };
    return third === "domains" ? { at: "domains", slug } : { at: "unknown" };
  }
  if (third !== undefined) return { at: "unknown" };
  if (first === "welcome") return { at: "welcome", token: decoded(second) };
  return first === "catalogue" && second === "orders" ? { at: "orders" } : { at: "unknown" };
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

export const route = observable<Route>({ at: "overview" });

export function watchRoute(): void {
  const look = () => route.set(routeOf(location.hash));
  addEventListener("hashchange", look);
  look();
}

export function go(fragment: string): void {
  location.hash = fragment;
}
