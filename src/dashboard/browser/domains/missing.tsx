/** What a project lacks before a domain can be added, and what to do about it. */

import type { Project } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { ErrorMessage, Notice } from "../parts/notice.tsx";
import { projectLink } from "../route.ts";
import { useAction } from "../useApi.ts";

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
