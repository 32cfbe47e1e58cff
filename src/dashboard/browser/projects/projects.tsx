/** The projects that the account may see. */
import { useState } from "preact/hooks";
import type { ProjectLine, Session } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { ActionForm, Dialog, openDialog } from "../parts/dialog.tsx";
import { ChoiceField, TextField } from "../parts/form.tsx";
import { Ago } from "../parts/format.tsx";
import { Badge, Empty, Loadable, Notice, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { domainsLink, go, projectLink } from "../route.ts";
import { isOperator } from "../session.ts";
import { useGet } from "../useApi.ts";

export function Projects({ session }: { session: Session }) {
  const projects = useGet("/projects", {});
  const create = (
    <Button kind="primary" onClick={() => openDialog(<NewProject session={session} />)}>
      Create project
    </Button>
  );
  const { data } = projects;
  return (
    <Page
      title="Projects"
      lead="A project is a documentation site. You can serve it on your own domains."
      action={data !== undefined && data.length > 0 ? create : undefined}
    >
      <Loadable of={projects} skeleton={<Skeleton rows={3} tall />}>
        {(lines) =>
          lines.length === 0 ? (
            <Empty title="No project yet">
              <p>Create one, then drop the folder of your site on it.</p>
              {create}
            </Empty>
          ) : (
            <ul class="cards">
              {lines.map((line) => (
                <Line key={line.slug} line={line} withOwner={isOperator(session)} />
              ))}
            </ul>
          )
        }
      </Loadable>
    </Page>
  );
}

function Line({ line, withOwner }: { line: ProjectLine; withOwner: boolean }) {
  const { slug, owner, plan, createdAt, current } = line;
  return (
    <li class="card line">
      <div>
        <h2>
          <a href={projectLink(slug)}>{slug}</a>
        </h2>
        <p class="quiet">
          {withOwner && <>{owner} · </>}
          {plan ?? "no"} plan · created <Ago at={createdAt} />
        </p>
      </div>
      <div class="line-end">
        {current === null ? (
          <Badge tone="neutral">Not published</Badge>
        ) : (
          <Badge tone="fine">Published</Badge>
        )}
        <a href={domainsLink(slug)} aria-label={`Domains of ${slug}`}>
          Domains
        </a>
      </div>
    </li>
  );
}

function NewProject({ session }: { session: Session }) {
  return (
    <Dialog title="Create project">
      {isOperator(session) ? <ForAnOwner /> : <ProjectForm ownerId={undefined} />}
    </Dialog>
  );
}

/** An operator has no projects, so they choose the owner. */
function ForAnOwner() {
  const owners = useGet("/owners", {});
  const [chosen, choose] = useState<string>();
  return (
    <Loadable of={owners} skeleton={<Skeleton rows={2} />}>
      {(all) => {
        const [first] = all;
        if (first === undefined) {
          return (
            <Notice tone="neutral" title="There is no owner yet">
              <p>
                A project belongs to an owner. <a href="#/owners">Add an owner first</a>.
              </p>
            </Notice>
          );
        }
        const ownerId = chosen ?? first.id;
        return (
          <>
            <ChoiceField
              label="Owner"
              value={ownerId}
              options={Object.fromEntries(all.map(({ id, name }) => [id, `${name} (${id})`]))}
              onChoice={choose}
            />
            <ProjectForm ownerId={ownerId} />
          </>
        );
      }}
    </Loadable>
  );
}

function ProjectForm({ ownerId }: { ownerId: string | undefined }) {
  const [slug, setSlug] = useState("");
  const create = async () => {
    const body = { slug, ...(ownerId === undefined ? {} : { ownerId }) };
    await call("post", "/projects", { body });
    go(projectLink(slug));
    return `${slug} was created.`;
  };
  return (
    <ActionForm submit="Create project" onSubmit={create}>
      <TextField
        label="Name in URLs"
        value={slug}
        onText={setSlug}
        placeholder="acme-docs"
        mono
        required
        hint="Lower-case letters, digits and hyphens. It cannot be changed later."
      />
    </ActionForm>
  );
}
