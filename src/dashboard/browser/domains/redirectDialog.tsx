import { useState } from "preact/hooks";
import type { Domain, Routing } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, Form } from "../parts/form.tsx";
import { ErrorMessage, Notice } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";
import {
  likelyTarget,
  redirectStatuses,
  routingOf,
  rowsOf,
  saveRouting,
  targetWords,
  withRow,
} from "./routing.ts";
import { isServed, wordsOf } from "./statusWords.ts";

interface RedirectDialogProps {
  readonly slug: string;
  readonly domain: Domain;
  readonly all: readonly Domain[];
  readonly routing: Routing;
  readonly onRouting: (routing: Routing) => void;
  readonly onClose: () => void;
}

export function RedirectDialog(props: RedirectDialogProps) {
  const { slug, domain, all, routing, onRouting, onClose } = props;
  const own = routing.redirects.find(({ from }) => from === domain.host);
  const others = all.filter(({ host }) => host !== domain.host);
  const [to, setTo] = useState(own?.to ?? likelyTarget(others));
  const [status, setStatus] = useState(String(own?.status ?? 301));
  const work = useAction();
  const forGood = status === "301" || status === "308";
  const save = () =>
    work.run(async () => {
      const rows = rowsOf(
        all.map(({ host }) => host),
        routing,
      );
      const row = { host: domain.host, answer: "redirect", to, status: Number(status) } as const;
      onRouting(await saveRouting(slug, routingOf(withRow(rows, row))));
      onClose();
      notify(`${domain.host} redirects to ${to}.`);
    });
  return (
    <Dialog title={`Redirect ${domain.host}`} onClose={onClose}>
      <Form onSubmit={() => void save()}>
        <ChoiceField label="To" value={to} options={targetWords(others)} onChoice={setTo} />
        <NotServed target={others.find(({ host }) => host === to)} />
        <ChoiceField
          label="How"
          value={status}
          options={redirectStatuses}
          onChoice={setStatus}
          hint={
            forGood
              ? "Browsers and search engines remember it. Try one for now first if you are not sure."
              : "Browsers ask again every time, so it can be taken back at once."
          }
        />
        {routing.primary === domain.host && (
          <p class="quiet">{domain.host} is then no longer the primary domain.</p>
        )}
        <ErrorMessage error={work.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Save redirect
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** A redirect to a name that is not served leads visitors to nothing. */
export function NotServed({ target }: { target: Domain | undefined }) {
  if (target === undefined || isServed(target)) return null;
  return (
    <Notice meaning="waiting" title={`${target.host} is not live: ${wordsOf(target).words}`}>
      <p>Visitors who are sent there see nothing until it is.</p>
    </Notice>
  );
}
