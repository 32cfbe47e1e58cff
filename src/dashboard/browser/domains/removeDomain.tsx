/** Says what will stop before it stops, and offers a redirect first. */
import { useState } from "preact/hooks";
import type { Domain, Routing } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";
import { NotServed } from "./redirectDialog.tsx";
import { likelyTarget, routingOf, rowsOf, saveRouting, targetWords, withRow } from "./routing.ts";
import { isServed } from "./statusWords.ts";

interface RemoveDomainProps {
  readonly slug: string;
  readonly domain: Domain;
  readonly others: readonly Domain[];
  readonly routing: Routing;
  readonly onRemoved: () => void;
  readonly onRouting: (routing: Routing) => void;
  readonly onClose: () => void;
}

export function RemoveDomain(props: RemoveDomainProps) {
  const { slug, domain, others, routing, onRemoved, onClose } = props;
  const { host } = domain;
  const served = isServed(domain);
  const work = useAction();
  const remove = () =>
    work.run(async () => {
      await call("delete", "/projects/{project}/domains/{host}", {
        path: { project: slug, host },
        query: { confirm: true },
      });
      onRemoved();
      onClose();
      notify(`${host} was removed.${served ? " It is no longer served." : ""}`);
    });
  const dependents = routing.redirects.filter(({ to }) => to === host).map(({ from }) => from);
  return (
    <Dialog title={`Remove ${host}?`} onClose={onClose}>
      <p>This will stop at once, on every edge:</p>
      <ul class="stops">
        {served ? (
          <>
            <li>
              Visitors of <code>https://{host}</code> get no answer any more.
            </li>
            <li>Its certificate is no longer used or renewed.</li>
          </>
        ) : (
          <li>Its DNS is no longer checked and its certificate no longer renewed.</li>
        )}
        {routing.primary === host && <li>The project no longer has a primary domain.</li>}
        {dependents.map((from) => (
          <li key={from}>
            The redirect from <code>{from}</code> goes with it: <code>{from}</code> then shows the
            site instead.
          </li>
        ))}
      </ul>
      <p class="quiet">
        Then delete its record at your DNS provider: a name that points here without being attached
        can be claimed by someone else later.
      </p>
      {served && others.length > 0 && dependents.length === 0 && <InsteadRedirect {...props} />}
      <ErrorMessage error={work.error} />
      <div class="actions">
        <Button kind="danger" onClick={() => void remove()} busy={work.busy}>
          Remove domain
        </Button>
        <Button onClick={onClose} safe>
          Keep it
        </Button>
      </div>
    </Dialog>
  );
}

/** Old links go on working where the name goes on answering. */
function InsteadRedirect({ slug, domain, others, routing, onRouting, onClose }: RemoveDomainProps) {
  const { host } = domain;
  const targets = others.filter(({ role }) => role.kind !== "redirect");
  const [chosen, choose] = useState<string>();
  const work = useAction();
  if (domain.role.kind === "redirect" || targets.length === 0) return null;
  const target = targets.find((each) => each.host === chosen)?.host ?? likelyTarget(targets);
  const redirect = () =>
    work.run(async () => {
      const rows = rowsOf([host, ...others.map((each) => each.host)], routing);
      const row = { host, answer: "redirect", to: target, status: 301 } as const;
      onRouting(await saveRouting(slug, routingOf(withRow(rows, row))));
      onClose();
      notify(`${host} redirects to ${target} now. Nothing was removed.`);
    });
  return (
    <div class="instead">
      <p>
        <strong>Keep old links working?</strong> Redirect it instead, and remove it when it no
        longer gets traffic.
        {routing.primary === host && " It is then no longer the primary domain."}
      </p>
      <ChoiceField
        label="Redirect to"
        value={target}
        options={targetWords(targets)}
        onChoice={choose}
      />
      <NotServed target={targets.find((each) => each.host === target)} />
      <ErrorMessage error={work.error} />
      <Button kind="primary" onClick={() => void redirect()} busy={work.busy}>
        Redirect instead
      </Button>
    </div>
  );
}
