/** All projects that whoever is signed in may see. */
import { useState } from "preact/hooks";
import type { ProjectLine, Session } from "../../../contract/generated/platform.ts";
import { Button } from "../parts/buttons.tsx";
import { Badge } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Shown, Skeleton } from "../parts/states.tsx";
import { Ago } from "../parts/time.tsx";
import { domainsLink, projectLink } from "../route.ts";
import { isOperator } from "../session.ts";
import { useGet } from "../useApi.ts";
import { NewProject } from "./newProject.tsx";

export function Projects({ session }: { session: Session }) {
  const projects = useGet("/projects", {});
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      Create project
    </Button>
  );
  const { data } = projects;
  return (
    <Page
      title="Projects"
      lead="A project is a documentation site. It can be shown on domains of your own."
      action={data !== undefined && data.length > 0 ? create : undefined}
    >
      <Shown of={projects} skeleton={<Skeleton rows={3} tall />}>
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
      </Shown>
      {creating && <NewProject session={session} onClose={() => setCreating(false)} />}
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
          <Badge meaning="neutral">Nothing shown yet</Badge>
        ) : (
          <Badge meaning="fine">Published</Badge>
        )}
        <a href={domainsLink(slug)} aria-label={`Domains of ${slug}`}>
          Domains
        </a>
      </div>
    </li>
  );
}
