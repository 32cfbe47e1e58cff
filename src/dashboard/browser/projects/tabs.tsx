import { domainsLink, projectLink } from "../route.ts";

export function ProjectTabs({ slug, at }: { slug: string; at: "deployments" | "domains" }) {
  return (
    <nav class="tabs" aria-label="Project">
      <a href={projectLink(slug)} aria-current={at === "deployments" ? "page" : undefined}>
        Deployments
      </a>
      <a href={domainsLink(slug)} aria-current={at === "domains" ? "page" : undefined}>
        Settings
      </a>
    </nav>
  );
}
