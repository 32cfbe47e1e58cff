/** A project: what is shown of it, deploying it, and its deployments. */
import { useState } from "preact/hooks";
import type { Deployment, Project } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { counted, size } from "../parts/amounts.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Badge, ErrorMessage } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Shown, Skeleton } from "../parts/states.tsx";
import { Ago } from "../parts/time.tsx";
import { domainsLink } from "../route.ts";
import { useAction, useGet } from "../useApi.ts";
import { Deploy } from "./deploy.tsx";
import { ProjectTabs } from "./tabs.tsx";

type Asking = { kind: "rollback"; deployment: Deployment } | { kind: "unpublish" };

export function ProjectPage({ slug }: { slug: string }) {
  const project = useGet("/projects/{project}", { path: { project: slug } }, 15_000);
  const [asking, ask] = useState<Asking>();
  const published = project.data !== undefined && project.data.current !== null;
  return (
    <Page
      title={slug}
      crumbs={[{ words: "Projects", href: "#/projects" }]}
      action={
        published && <Button onClick={() => ask({ kind: "unpublish" })}>Unpublish project…</Button>
      }
    >
      <ProjectTabs slug={slug} at="deployments" />
      <Shown of={project} skeleton={<Skeleton rows={4} tall />}>
        {(data) => (
          <>
            <ShownNow project={data} />
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
                    shown={each.id === data.current}
                    onRollBack={() => ask({ kind: "rollback", deployment: each })}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Shown>
      {asking?.kind === "rollback" && (
        <RollBack
          slug={slug}
          deployment={asking.deployment}
          onDone={project.reload}
          onClose={() => ask(undefined)}
        />
      )}
      {asking?.kind === "unpublish" && (
        <Unpublish slug={slug} onDone={project.reload} onClose={() => ask(undefined)} />
      )}
    </Page>
  );
}

function ShownNow({ project: { current, address, slug } }: { project: Project }) {
  if (current === null) {
    return (
      <p class="shown-now">
        <Badge meaning="neutral">Nothing is shown yet</Badge>
        <span class="quiet">Deploy a folder, and it is shown at an address of its own.</span>
      </p>
    );
  }
  return (
    <p class="shown-now">
      <Badge meaning="fine">Published</Badge>
      <a class="mono" href={address} target="_blank" rel="noreferrer">
        {address}
      </a>
      <a href={domainsLink(slug)}>Show it on your own domain</a>
    </p>
  );
}

interface RowProps {
  readonly deployment: Deployment;
  readonly shown: boolean;
  readonly onRollBack: () => void;
}

function Row({ deployment, shown, onRollBack }: RowProps) {
  const { id, state, createdAt, files, bytes, failure } = deployment;
  return (
    <li class="row">
      <div>
        <p>
          <code>{id}</code>
          <DeploymentBadge state={state} shown={shown} />
        </p>
        <p class="quiet">
          <Ago at={createdAt} /> · {counted(files, "file")} · {size(bytes)}
        </p>
        {failure !== null && <p>{failure}</p>}
      </div>
      {state === "ready" && !shown && (
        <Button onClick={onRollBack} label={`Roll back to ${id}`}>
          Roll back…
        </Button>
      )}
    </li>
  );
}

function DeploymentBadge({ state, shown }: { state: Deployment["state"]; shown: boolean }) {
  if (shown) return <Badge meaning="fine">Shown now</Badge>;
  if (state === "ready") return <Badge meaning="neutral">Ready</Badge>;
  if (state === "failed") return <Badge meaning="trouble">Failed</Badge>;
  return <Badge meaning="waiting">Arriving</Badge>;
}

interface ConfirmProps {
  readonly slug: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function RollBack({
  slug,
  deployment,
  onDone,
  onClose,
}: ConfirmProps & { deployment: Deployment }) {
  const work = useAction();
  const rollBack = () =>
    work.run(async () => {
      await call("post", "/projects/{project}/rollback", {
        path: { project: slug },
        body: { deployment: deployment.id },
      });
      onDone();
      onClose();
      notify(`${slug} shows ${deployment.id} again.`);
    });
  return (
    <Dialog title="Roll back?" onClose={onClose}>
      <p>
        Visitors of {slug} see the deployment of <Ago at={deployment.createdAt} /> again, at once
        and on every domain. The one that is shown now is kept.
      </p>
      <ErrorMessage error={work.error} />
      <div class="actions">
        <Button kind="primary" onClick={() => void rollBack()} busy={work.busy}>
          Roll back
        </Button>
        <Button onClick={onClose} safe>
          Keep as it is
        </Button>
      </div>
    </Dialog>
  );
}

function Unpublish({ slug, onDone, onClose }: ConfirmProps) {
  const work = useAction();
  const unpublish = () =>
    work.run(async () => {
      await call("post", "/projects/{project}/unpublish", { path: { project: slug } });
      onDone();
      onClose();
      notify(`${slug} is no longer shown.`);
    });
  return (
    <Dialog title={`Unpublish ${slug}?`} onClose={onClose}>
      <p>
        Its address and all of its domains stop answering, at once. Domains are suspended, and come
        back by themselves when something is shown again. Deployments are kept.
      </p>
      <ErrorMessage error={work.error} />
      <div class="actions">
        <Button kind="danger" onClick={() => void unpublish()} busy={work.busy}>
          Unpublish
        </Button>
        <Button onClick={onClose} safe>
          Keep it published
        </Button>
      </div>
    </Dialog>
  );
}
