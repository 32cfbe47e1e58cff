/** The domains of a project. */
import { useState } from "preact/hooks";
import type { Domain, Project, Routing } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call, hasCode, messageOf } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import type { MenuItem } from "../parts/menu.tsx";
import { Empty, ErrorMessage, Notice, Shown, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { ProjectTabs } from "../projects/project.tsx";
import { domainsLink, projectLink } from "../route.ts";
import { type Loaded, useAction, useGet } from "../useApi.ts";
import { DomainCard } from "./card.tsx";
import { AddDomain, RedirectDialog, RemoveDomain } from "./domainDialogs.tsx";
import { routingOf, rowsOf, saveRouting, withRow } from "./routing.ts";
import { RoutingEditor } from "./routingEditor.tsx";
import { useOpenDomains } from "./useOpenDomains.ts";

type Asking =
  | { readonly kind: "add" }
  | { readonly kind: "redirect" | "remove"; readonly domain: Domain };

interface DomainsProps {
  readonly slug: string;
  readonly operator: boolean;
}

export function Domains({ slug, operator }: DomainsProps) {
  const path = { project: slug };
  const project = useGet("/projects/{project}", { path });
  const domains = useGet("/projects/{project}/domains", { path }, 10_000);
  const [asking, ask] = useState<Asking>();
  const off = hasCode(domains.error, "domains_off");
  const ready = project.data?.plan === "paid" && project.data.current !== null;
  const add = (
    <Button kind="primary" onClick={() => ask({ kind: "add" })}>
      Add domain
    </Button>
  );
  const { data } = domains;
  return (
    <Page
      title="Domains"
      crumbs={[
        { words: "Projects", href: "#/projects" },
        { words: slug, href: projectLink(slug) },
        { words: "Settings", href: domainsLink(slug) },
      ]}
      action={ready && data !== undefined && data.length > 0 ? add : undefined}
    >
      <ProjectTabs slug={slug} at="domains" />
      {off ? (
        <Notice meaning="neutral" title="Domains are not set up on this service">
          <p>
            The operator sets <code>PETSTORE_SITES_HOST</code> to the name that owners point theirs
            to, and starts the service again.
          </p>
        </Notice>
      ) : (
        <>
          {project.data !== undefined && (
            <Missing
              project={project.data}
              suspended={data?.some(({ status }) => status === "suspended") ?? false}
              operator={operator}
              onChanged={() => {
                project.reload();
                domains.reload();
              }}
            />
          )}
          <Shown of={domains} skeleton={<Skeleton rows={3} tall />}>
            {(all) =>
              all.length === 0 ? (
                <Empty title="No domain yet">
                  <p>
                    Show {slug} on a name of your own, with an automatically renewed certificate.
                  </p>
                  {ready && add}
                </Empty>
              ) : (
                <Attached slug={slug} all={all} domains={domains} ask={ask} asking={asking} />
              )
            }
          </Shown>
        </>
      )}
      {asking?.kind === "add" && (
        <AddDomain
          slug={slug}
          onAdded={(added) => {
            domains.update((all) => sorted([...all.filter(({ id }) => id !== added.id), added]));
            domains.reload();
          }}
          onClose={() => ask(undefined)}
        />
      )}
    </Page>
  );
}

const sorted = (all: readonly Domain[]) =>
  [...all].sort((one, other) => (one.host < other.host ? -1 : 1));

interface AttachedProps {
  readonly slug: string;
  readonly all: readonly Domain[];
  readonly domains: Loaded<readonly Domain[]>;
  readonly asking: Asking | undefined;
  readonly ask: (asking: Asking | undefined) => void;
}

function Attached({ slug, all, domains, asking, ask }: AttachedProps) {
  const routing = useGet("/projects/{project}/routing", { path: { project: slug } });
  const replace = (domain: Domain) =>
    domains.update((before) => before.map((each) => (each.id === domain.id ? domain : each)));
  const { isOpen, setOpen, detailsOf } = useOpenDomains(slug, all, replace);

  const hosts = all.map(({ host }) => host);
  const applied = (saved: Routing) => {
    routing.update(() => saved);
    domains.reload();
  };
  const makePrimary = async (host: string) => {
    if (routing.data === undefined) return;
    const rows = withRow(rowsOf(hosts, routing.data), {
      host,
      answer: "primary",
      to: "",
      status: 301,
    });
    try {
      applied(await saveRouting(slug, routingOf(rows)));
      notify(`${host} is the primary domain.`);
    } catch (error) {
      notify(messageOf(error));
    }
  };
  const menuOf = (domain: Domain): MenuItem[] => [
    ...(domain.role.kind === "primary"
      ? []
      : [{ words: "Make primary", run: () => void makePrimary(domain.host) }]),
    ...(hosts.length > 1
      ? [{ words: "Redirect…", run: () => ask({ kind: "redirect", domain }) }]
      : []),
    { words: "Remove domain…", run: () => ask({ kind: "remove", domain }), danger: true },
  ];
  const close = () => ask(undefined);
  const others = (domain: Domain) => all.filter(({ host }) => host !== domain.host);
  return (
    <>
      <ul class="domains" aria-label="Domains">
        {all.map((domain) => (
          <DomainCard
            key={domain.id}
            domain={domain}
            details={detailsOf(domain.host)}
            open={isOpen(domain)}
            onOpen={(open) => setOpen(domain.host, open)}
            onChecked={replace}
            menu={menuOf(domain)}
          />
        ))}
      </ul>
      <Shown of={routing} skeleton={<Skeleton rows={2} />}>
        {(saved) => <RoutingEditor slug={slug} hosts={hosts} routing={saved} onSaved={applied} />}
      </Shown>
      {asking?.kind === "redirect" && routing.data && (
        <RedirectDialog
          slug={slug}
          domain={asking.domain}
          others={others(asking.domain)}
          routing={routing.data}
          onRouting={applied}
          onClose={close}
        />
      )}
      {asking?.kind === "remove" && routing.data && (
        <RemoveDomain
          slug={slug}
          domain={asking.domain}
          others={others(asking.domain)}
          routing={routing.data}
          onRemoved={() => {
            domains.update((before) => before.filter(({ id }) => id !== asking.domain.id));
            domains.reload();
            routing.reload();
          }}
          onRouting={applied}
          onClose={close}
        />
      )}
    </>
  );
}

interface MissingProps {
  readonly project: Project;
  /** Whether it has domains that wait for what is missing. */
  readonly suspended: boolean;
  readonly operator: boolean;
  readonly onChanged: () => void;
}

export function Missing({ project, suspended, operator, onChanged }: MissingProps) {
  const work = useAction();
  const { slug, ownerId, plan, current } = project;
  if (plan === "paid" && current !== null) return null;
  const pay = () =>
    work.run(async () => {
      const path = { owner: ownerId };
      await call("put", "/owners/{owner}/plan", { path, body: { plan: "paid" } });
      onChanged();
      notify(`${ownerId} is on the paid plan.`);
    });
  return (
    <Notice
      meaning="neutral"
      title={
        suspended
          ? `The domains of ${slug} are suspended`
          : `${slug} cannot have domains of its own yet`
      }
    >
      <ul class="needs">
        {plan !== "paid" && (
          <li>
            Domains need the paid plan, and {ownerId} is on the free one.{" "}
            {operator ? (
              <Button onClick={() => void pay()} busy={work.busy}>
                Change to the paid plan
              </Button>
            ) : (
              "Ask the operator of this service to change it."
            )}
          </li>
        )}
        {current === null && (
          <li>
            Nothing is shown of it{suspended ? " now" : " yet"}.{" "}
            <a href={projectLink(slug)}>{suspended ? "Deploy it again" : "Deploy it first"}</a>.
          </li>
        )}
      </ul>
      <ErrorMessage error={work.error} />
    </Notice>
  );
}
