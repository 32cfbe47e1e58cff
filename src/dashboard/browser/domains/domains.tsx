/** The domains of a project. */
import type { Domain, DomainPage, Project, Routing } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call, hasCode, messageOf } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { openDialog } from "../parts/dialog.tsx";
import type { MenuItem } from "../parts/menu.tsx";
import { Empty, ErrorMessage, Loadable, Notice, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { ProjectTabs } from "../projects/project.tsx";
import { domainsLink, projectLink } from "../route.ts";
import { type Loaded, useAction, useGet } from "../useApi.ts";
import { DomainCard } from "./card.tsx";
import { AddDomain, RedirectDialog, RemoveDomain } from "./domainDialogs.tsx";
import { saveRow } from "./routing.ts";
import { RoutingEditor } from "./routingEditor.tsx";
import { isServed } from "./status.ts";
import { useOpenDomains } from "./useOpenDomains.ts";

interface DomainsProps {
  readonly slug: string;
  readonly operator: boolean;
}

export function Domains({ slug, operator }: DomainsProps) {
  const path = { project: slug };
  const project = useGet("/projects/{project}", { path });
  const domains = useGet("/projects/{project}/domains", { path, query: { limit: 200 } }, 10_000);
  const off = hasCode(domains.error, "domains_off");
  const ready = project.data?.plan === "paid" && project.data.current !== null;
  const onAdded = (added: Domain) => {
    domains.update(({ items, ...page }) => ({
      ...page,
      items: sorted([...items.filter(({ id }) => id !== added.id), added]),
    }));
    domains.reload();
  };
  const add = (
    <Button kind="primary" onClick={() => openDialog(<AddDomain slug={slug} onAdded={onAdded} />)}>
      Add domain
    </Button>
  );
  const data = domains.data?.items;
  return (
    <Page
      title="Domains"
      crumbs={[
        { label: "Projects", href: "#/projects" },
        { label: slug, href: projectLink(slug) },
        { label: "Settings", href: domainsLink(slug) },
      ]}
      action={ready && data !== undefined && data.length > 0 ? add : undefined}
    >
      <ProjectTabs slug={slug} at="domains" />
      {off ? (
        <Notice tone="neutral" title="Domains are not set up on this service">
          <p>
            The operator sets <code>PETSTORE_SITES_HOST</code> to the host name that owners point
            their domains to, and restarts the service.
          </p>
        </Notice>
      ) : (
        <>
          {project.data !== undefined && (
            <Requirements
              project={project.data}
              suspended={data?.some(({ status }) => status === "suspended") ?? false}
              operator={operator}
              onChanged={() => {
                project.reload();
                domains.reload();
              }}
            />
          )}
          <Loadable of={domains} skeleton={<Skeleton rows={3} tall />}>
            {({ items: all }) =>
              all.length === 0 ? (
                <Empty title="No domain yet">
                  <p>
                    Serve {slug} on your own host name, with an automatically renewed certificate.
                  </p>
                  {ready && add}
                </Empty>
              ) : (
                <DomainList slug={slug} all={all} domains={domains} />
              )
            }
          </Loadable>
        </>
      )}
    </Page>
  );
}

const sorted = (all: readonly Domain[]) =>
  [...all].sort((one, other) => (one.host < other.host ? -1 : 1));

interface DomainListProps {
  readonly slug: string;
  readonly all: readonly Domain[];
  readonly domains: Loaded<DomainPage>;
}

function DomainList({ slug, all, domains }: DomainListProps) {
  const routing = useGet("/projects/{project}/routing", { path: { project: slug } });
  const replace = (domain: Domain) =>
    domains.update(({ items, ...page }) => ({
      ...page,
      items: items.map((each) => (each.id === domain.id ? domain : each)),
    }));
  const { isOpen, setOpen, detailsOf } = useOpenDomains(slug, all, replace);

  const hosts = all.map(({ host }) => host);
  const applied = (saved: Routing) => {
    routing.update(() => saved);
    domains.reload();
  };
  const makePrimary = async (host: string) => {
    if (routing.data === undefined) return;
    const row = { host, mode: "primary", to: "", status: 301 } as const;
    try {
      applied(await saveRow(slug, hosts, routing.data, row));
      const served = all.some((each) => each.host === host && isServed(each));
      notify(`${host} is the primary domain${served ? "" : " as soon as it is live"}.`);
    } catch (error) {
      notify(messageOf(error));
    }
  };
  const onRemoved = ({ id: removed }: Domain) => {
    domains.update(({ items, ...page }) => ({
      ...page,
      items: items.filter(({ id }) => id !== removed),
    }));
    domains.reload();
    routing.reload();
  };
  const menuOf = (domain: Domain): MenuItem[] => {
    const { data } = routing;
    if (data === undefined) return [];
    const others = all.filter(({ host }) => host !== domain.host);
    const dialog = { slug, domain, others, routing: data, onRouting: applied };
    const redirect = () => openDialog(<RedirectDialog {...dialog} />);
    const remove = () => openDialog(<RemoveDomain {...dialog} onRemoved={onRemoved} />);
    return [
      ...(domain.role.kind === "primary"
        ? []
        : [{ label: "Make primary", run: () => void makePrimary(domain.host) }]),
      ...(others.length > 0 ? [{ label: "Redirect…", run: redirect }] : []),
      { label: "Remove domain…", run: remove, danger: true },
    ];
  };
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
      <Loadable of={routing} skeleton={<Skeleton rows={2} />}>
        {(saved) => <RoutingEditor slug={slug} hosts={hosts} routing={saved} onSaved={applied} />}
      </Loadable>
    </>
  );
}

interface RequirementsProps {
  readonly project: Project;
  /** Whether it has domains that are suspended for lack of a requirement. */
  readonly suspended: boolean;
  readonly operator: boolean;
  readonly onChanged: () => void;
}

function Requirements({ project, suspended, operator, onChanged }: RequirementsProps) {
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
      tone="neutral"
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
              <Button onClick={pay} busy={work.busy}>
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
