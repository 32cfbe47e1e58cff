import { useState } from "preact/hooks";
import type { Domain, Routing } from "../answers.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, Form } from "../parts/form.tsx";
import { Refused } from "../parts/notice.tsx";
import { tell } from "../say.ts";
import { useWork } from "../work.ts";
import { redirectStatuses, routingOf, rowsOf, saveRouting, withRow } from "./routing.ts";

interface RedirectDialogProps {
  readonly slug: string;
  readonly domain: Domain;
  readonly hosts: readonly string[];
  readonly routing: Routing;
  readonly onRouting: (routing: Routing) => void;
  readonly onClose: () => void;
}

export function RedirectDialog(props: RedirectDialogProps) {
  const { slug, domain, hosts, routing, onRouting, onClose } = props;
  const rows = rowsOf(hosts, routing);
  const own = rows.find(({ host }) => host === domain.host);
  const [to, setTo] = useState(own?.to ?? "");
  const [status, setStatus] = useState(String(own?.status ?? 301));
  const work = useWork();
  const others = hosts.filter((host) => host !== domain.host);
  const save = () =>
    work.run(async () => {
      const row = { host: domain.host, answer: "redirect", to, status: Number(status) } as const;
      onRouting(await saveRouting(slug, routingOf(withRow(rows, row))));
      onClose();
      tell(`${domain.host} redirects to ${to}.`);
    });
  return (
    <Dialog title={`Redirect ${domain.host}`} onClose={onClose}>
      <Form onSubmit={() => void save()}>
        <ChoiceField
          label="To"
          value={to}
          options={Object.fromEntries(others.map((host) => [host, host]))}
          onChoice={setTo}
        />
        <ChoiceField
          label="How"
          value={status}
          options={redirectStatuses}
          onChoice={setStatus}
          hint="Browsers remember a redirect for good, so try one for now first if you are not sure."
        />
        <Refused fault={work.fault} />
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
