/** A project: its published site and its deployments. */
import type { Deployment, Project } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { FormDialog, openDialog } from "../parts/dialog.tsx";
import { Ago, counted, size } from "../parts/format.tsx";
import { Badge, Loadable, Skeleton } from "../parts/notice.tsx";
import { Page, Tabs } from "../parts/page.tsx";
import { domainsLink, projectLink } from "../route.ts";
import { useGet } from "../useApi.ts";
import { Deploy } from "./deploy.tsx";

export function ProjectPage({ slug }: { slug: string }) {
  const project = useGet("/projects/{project}", { path: { project: slug } }, 15_000);
  const published = project.data !== undefined && project.data.current !== null;
  return (
    <Page
      title={slug}
      crumbs={[{ label: "Projects", href: "#/projects" }]}
      action={
        published && (
          <Button onClick={() => openDialog(<Unpublish slug={slug} onDone={project.reload} />)}>
            Unpublish project…
          </Button>
        )
      }
    >
      <ProjectTabs slug={slug} at="deployments" />
      <Loadable of={project} skeleton={<Skeleton rows={4} tall />}>
        {(data) => (
          <>
            <PublishedStatus project={data} />
            <Deploy slug={slug} onDeployed={project.reload} />
            <h2>Deployments</h2>
            {data.deployments.length === 0 ? (
              <p class="quiet">None yet. Drop the folder of your site above.</p>
            ) : (
              <ul class="rows">
                {data.deployments.map((each) => (
                  <Row
                    key={each.id}
                    deployment={each}
                    project={data}
                    onPublished={project.reload}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Loadable>
    </Page>
  );
}

export function ProjectTabs({ slug, at }: { slug: string; at: "deployments" | "domains" }) {
  const tabs = {
    deployments: [projectLink(slug), "Deployments"],
    domains: [domainsLink(slug), "Settings"],
  } as const;
  return <Tabs label="Project" tabs={tabs} at={at} />;
}

function PublishedStatus({ project: { current, address, slug } }: { project: Project }) {
  if (current === null) {
    return (
      <p class="shown-now">
        <Badge tone="neutral">Not published</Badge>
        <span class="quiet">Deploy a folder to publish it at its own URL.</span>
      </p>
    );
  }
  return (
    <p class="shown-now">
      <Badge tone="fine">Published</Badge>
      <a class="mono" href={address} target="_blank" rel="noreferrer">
        {address}
      </a>
      <a href={domainsLink(slug)}>Add a custom domain</a>
    </p>
  );
}

interface RowProps {
  readonly deployment: Deployment;
  readonly project: Project;
  readonly onPublished: () => void;
}

function Row({ deployment, project, onPublished }: RowProps) {
  const { id, state, createdAt, files, bytes, failure } = deployment;
  const { slug, current, deployments } = project;
  const shown = deployments.find((each) => each.id === current);
  const isShown = id === current;
  // One that was uploaded as a preview is newer than what is published.
  const isOlder = shown !== undefined && createdAt < shown.createdAt;
  const dialog = { slug, deployment, onDone: onPublished };
  return (
    <li class="row">
      <div>
        <p>
          <code>{id}</code>
          <DeploymentBadge state={state} shown={isShown} />
        </p>
        <p class="quiet">
          <Ago at={createdAt} /> · {counted(files, "file")} · {size(bytes)}
        </p>
        {failure !== null && <p>{failure}</p>}
      </div>
      {state === "ready" &&
        !isShown &&
        (isOlder ? (
          <Button onClick={() => openDialog(<RollBack {...dialog} />)} label={`Roll back to ${id}`}>
            Roll back…
          </Button>
        ) : (
          <Button onClick={() => openDialog(<Publish {...dialog} />)} label={`Publish ${id}`}>
            Publish…
          </Button>
        ))}
    </li>
  );
}

function DeploymentBadge({ state, shown }: { state: Deployment["state"]; shown: boolean }) {
  if (shown) return <Badge tone="fine">Current</Badge>;
  if (state === "ready") return <Badge tone="neutral">Ready</Badge>;
  if (state === "failed") return <Badge tone="trouble">Failed</Badge>;
  return <Badge tone="waiting">Uploading</Badge>;
}

interface ConfirmProps {
  readonly slug: string;
  readonly onDone: () => void;
}

interface DeploymentProps extends ConfirmProps {
  readonly deployment: Deployment;
}

/** By choice of a person, so in either direction: a deployment may be older than one shown before. */
async function show({ slug, deployment, onDone }: DeploymentProps): Promise<void> {
  await call("post", "/projects/{project}/rollback", {
    path: { project: slug },
    body: { deployment: deployment.id },
  });
  onDone();
}

function Publish(props: DeploymentProps) {
  const { slug, deployment } = props;
  const publish = async () => {
    await show(props);
    return `${slug} shows ${deployment.id}.`;
  };
  return (
    <FormDialog title="Publish?" submit="Publish" keep="Keep as it is" onSubmit={publish}>
      <p>
        Visitors of {slug} see the deployment of <Ago at={deployment.createdAt} />, at once and on
        every domain.
      </p>
    </FormDialog>
  );
}

function RollBack(props: DeploymentProps) {
  const { slug, deployment } = props;
  const rollBack = async () => {
    await show(props);
    return `${slug} shows ${deployment.id} again.`;
  };
  return (
    <FormDialog title="Roll back?" submit="Roll back" keep="Keep as it is" onSubmit={rollBack}>
      <p>
        Visitors of {slug} see the deployment of <Ago at={deployment.createdAt} /> again, at once
        and on every domain. The current one is kept.
      </p>
    </FormDialog>
  );
}

function Unpublish({ slug, onDone }: ConfirmProps) {
  const unpublish = async () => {
    await call("post", "/projects/{project}/unpublish", { path: { project: slug } });
    onDone();
    return `${slug} is unpublished.`;
  };
  return (
    <FormDialog
      title={`Unpublish ${slug}?`}
      submit="Unpublish"
      danger
      keep="Keep it published"
      onSubmit={unpublish}
    >
      <p>
        Its URL and all of its domains stop responding at once. The domains are suspended until
        something is published again. Deployments are kept.
      </p>
    </FormDialog>
  );
}
