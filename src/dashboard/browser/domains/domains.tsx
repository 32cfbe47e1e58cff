/** The domains of a project. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Domain, DomainPage, Project, Routing } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call, hasCode, messageOf } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { openDialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/form.tsx";
import type { MenuItem } from "../parts/menu.tsx";
import { Empty, ErrorMessage, Loadable, Notice, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Paging, SearchBox, useWalk } from "../parts/paging.tsx";
import { ProjectTabs } from "../projects/project.tsx";
import { domainLink, domainsLink, mark, projectLink } from "../route.ts";
import { type Loaded, useAction, useGet } from "../useApi.ts";
import { DomainCard } from "./card.tsx";
import {
  AddDomain,
  HstsDialog,
  MoveDomain,
  RedirectDialog,
  RemoveDomain,
} from "./domainDialogs.tsx";
import { saveRouting, withPrimary, withSite } from "./routing.ts";
import { isAbandoned, isServed, statusFilters } from "./status.ts";
import { type OpenDomains, useOpenDomains } from "./useOpenDomains.ts";

interface DomainsProps {
  readonly slug: string;
  /** The domain that the address leads to. Empty for none. */
  readonly host: string;
  readonly operator: boolean;
}

const pageSize = 25;
const hostLengthMax = 253;
/** With more than these, there is a search. */
const seenAtAGlance = 5;

export function Domains({ slug, host, operator }: DomainsProps) {
  const path = { project: slug };
  const project = useGet("/projects/{project}", { path });
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState("all");
  const [wanted, setWanted] = useState(host);
  useEffect(() => setWanted(host), [host]);
  const walk = useWalk(`${filter} ${search}`);
  const status = statusFilters[filter]?.statuses ?? [];
  const query = { search, status, cursor: walk.cursor ?? "", limit: pageSize };
  const domains = useGet("/projects/{project}/domains", { path, query }, 10_000);
  const off = hasCode(domains.error, "domains_off");
  const ready = project.data?.plan === "paid" && project.data.current !== null;
  const items = domains.data?.items;
  const filtered = search !== "" || filter !== "all" || walk.cursor !== undefined;
  const many = useRef(false);
  many.current ||= filtered || (items?.length ?? 0) > seenAtAGlance;
  // One that is on none of the pages seen is searched for.
  const missing = items !== undefined && !filtered && items.every((each) => each.host !== wanted);
  useEffect(() => {
    if (!missing || wanted === "" || domains.data?.nextCursor == null) return;
    setSearch(wanted);
    setWanted("");
  }, [missing, wanted]);

  const replace = (domain: Domain) =>
    domains.update(({ items, ...page }) => ({
      ...page,
      items: items.map((each) => (each.id === domain.id ? domain : each)),
    }));
  const opening = useOpenDomains(slug, wanted, items ?? [], replace);

  const onAdded = (added: Domain) => {
    setFilter("all");
    setSearch("");
    walk.walkTo([]);
    setWanted(added.host);
    mark(domainLink(slug, added.host));
    domains.reload();
  };
  const add = (
    <Button kind="primary" onClick={() => openDialog(<AddDomain slug={slug} onAdded={onAdded} />)}>
      Add domain
    </Button>
  );
  const none = items?.length === 0 && !filtered;
  return (
    <Page
      title="Domains"
      crumbs={[
        { label: "Projects", href: "#/projects" },
        { label: slug, href: projectLink(slug) },
        { label: "Settings", href: domainsLink(slug) },
      ]}
      action={ready && items !== undefined && !none ? add : undefined}
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
              suspended={items?.some(({ status }) => status === "suspended") ?? false}
              operator={operator}
              onChanged={() => {
                project.reload();
                domains.reload();
              }}
            />
          )}
          {many.current && (
            <div class="filters">
              <SearchBox value={search} onSearch={setSearch} maxLength={hostLengthMax} />
              <Choice
                aria-label="Status"
                value={filter}
                options={filterLabels}
                onChoice={setFilter}
              />
            </div>
          )}
          <Loadable of={domains} skeleton={<Skeleton rows={3} tall />}>
            {({ items: all }) =>
              all.length > 0 ? (
                <DomainList
                  slug={slug}
                  wanted={wanted}
                  all={all}
                  domains={domains}
                  replace={replace}
                  onAdded={onAdded}
                  opening={opening}
                />
              ) : filtered ? (
                <Empty title="No such domains">
                  <p>Search for something else, or for all statuses.</p>
                </Empty>
              ) : (
                <Empty title="No domain yet">
                  <p>
                    Serve {slug} on your own host name, with an automatically renewed certificate.
                  </p>
                  {ready && add}
                </Empty>
              )
            }
          </Loadable>
          <Paging walk={walk} next={domains.data?.nextCursor} busy={domains.busy} />
        </>
      )}
    </Page>
  );
}

const filterLabels = Object.fromEntries(
  Object.entries(statusFilters).map(([name, { label }]) => [name, label]),
);

interface DomainListProps {
  readonly slug: string;
  readonly wanted: string;
  readonly all: readonly Domain[];
  readonly domains: Loaded<DomainPage>;
  readonly replace: (domain: Domain) => void;
  readonly onAdded: (domain: Domain) => void;
  readonly opening: OpenDomains;
}

function DomainList(props: DomainListProps) {
  const { slug, wanted, all, domains, replace, onAdded, opening } = props;
  const { isOpen, setOpen, detailsOf } = opening;
  const routing = useGet("/projects/{project}/routing", { path: { project: slug } });
  const here = all.some(({ host }) => host === wanted);
  useEffect(() => {
    if (here) document.querySelector(".domain.wanted")?.scrollIntoView({ block: "nearest" });
  }, [here, wanted]);

  const applied = (saved: Routing) => {
    routing.update(() => saved);
    domains.reload();
  };
  const save = async (changed: Routing, said: string) => {
    try {
      applied(await saveRouting(slug, changed));
      notify(said);
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
    const { host, role } = domain;
    const seen = all.filter((each) => !isAbandoned(each));
    const dialog = { slug, domain, seen, routing: data, onRouting: applied };
    const site = () => save(withSite(data, host), `${host} shows the site.`);
    const primary = () =>
      save(
        withPrimary(data, host),
        `${host} is the primary domain${isServed(domain) ? "" : " as soon as it is live"}.`,
      );
    const removal = {
      label: "Remove domain…",
      run: () => openDialog(<RemoveDomain {...dialog} onRemoved={onRemoved} />),
      danger: true,
    };
    if (isAbandoned(domain)) return [removal];
    return [
      role.kind === "primary"
        ? { label: "Stop being primary", run: () => void site() }
        : { label: "Make primary", run: () => void primary() },
      { label: "Redirect…", run: () => openDialog(<RedirectDialog {...dialog} />) },
      ...(role.kind === "redirect" ? [{ label: "Stop redirecting", run: () => void site() }] : []),
      {
        label: "HTTPS only…",
        run: () => openDialog(<HstsDialog slug={slug} domain={domain} onChanged={replace} />),
      },
      {
        label: "Move to another project…",
        run: () => openDialog(<MoveDomain {...dialog} onRemoved={onRemoved} />),
      },
      removal,
    ];
  };
  return (
    <>
      <Loadable of={routing} skeleton={null}>
        {() => null}
      </Loadable>
      <ul class="domains" aria-label="Domains">
        {all.map((domain) => (
          <DomainCard
            key={domain.id}
            domain={domain}
            details={detailsOf(domain.host)}
            open={isOpen(domain)}
            wanted={domain.host === wanted}
            onOpen={(open) => {
              setOpen(domain.host, open);
              mark(open ? domainLink(slug, domain.host) : domainsLink(slug));
            }}
            onChecked={replace}
            onAdded={onAdded}
            menu={menuOf(domain)}
          />
        ))}
      </ul>
      <p class="quiet">
        Search engines are directed to the primary domain. A redirect keeps path and query.
      </p>
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
