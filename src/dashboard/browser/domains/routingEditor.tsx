/** Which host name is primary and which ones redirect. The list is saved as a whole. */
import { useState } from "preact/hooks";
import type { Routing } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { Button } from "../parts/buttons.tsx";
import { Choice } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";
import {
  type RoutingMode,
  type RoutingRow,
  redirectStatuses,
  routingOf,
  rowsOf,
  saveRows,
  withRow,
} from "./routing.ts";

interface RoutingEditorProps {
  readonly slug: string;
  readonly hosts: readonly string[];
  readonly routing: Routing;
  readonly onSaved: (routing: Routing) => void;
}

const modes: Readonly<Record<RoutingMode, string>> = {
  site: "Shows the site",
  primary: "Shows the site, as primary",
  redirect: "Redirects",
};

export function RoutingEditor({ slug, hosts, routing, onSaved }: RoutingEditorProps) {
  const [draft, setDraft] = useState<readonly RoutingRow[]>();
  const work = useAction();
  const saved = rowsOf(hosts, routing);
  // Host names that were added or removed meanwhile are taken from the saved routing.
  const rows = saved.map((row) => draft?.find(({ host }) => host === row.host) ?? row);
  const changed = JSON.stringify(routingOf(rows)) !== JSON.stringify(routingOf(saved));
  const change = (row: RoutingRow) => {
    work.clear();
    setDraft(withRow(rows, row));
  };
  const save = () =>
    work.run(async () => {
      onSaved(await saveRows(slug, rows, routing));
      setDraft(undefined);
      notify("Primary domain and redirects are saved.");
    });
  return (
    <section aria-labelledby="routing-title">
      <h2 id="routing-title">Primary and redirects</h2>
      <p class="quiet">
        Search engines are directed to the primary domain. A redirect keeps path and query.
      </p>
      <ul class="rows routing">
        {rows.map((row) => (
          <RoutingLine key={row.host} row={row} hosts={hosts} onChange={change} />
        ))}
      </ul>
      <ErrorMessage error={work.error} />
      <div class="actions">
        <Button
          kind={changed ? "primary" : undefined}
          disabled={!changed}
          onClick={save}
          busy={work.busy}
        >
          Save
        </Button>
        {changed && (
          <Button
            onClick={() => {
              setDraft(undefined);
              work.clear();
            }}
          >
            Discard changes
          </Button>
        )}
      </div>
    </section>
  );
}

interface RoutingLineProps {
  readonly row: RoutingRow;
  readonly hosts: readonly string[];
  readonly onChange: (row: RoutingRow) => void;
}

function RoutingLine({ row, hosts, onChange }: RoutingLineProps) {
  const { host, mode, to, status } = row;
  const others = hosts.filter((each) => each !== host);
  const options: Readonly<Record<string, string>> =
    others.length === 0 ? { site: modes.site, primary: modes.primary } : modes;
  return (
    <li class="row">
      <code>{host}</code>
      <div class="choices">
        <Choice
          aria-label={`What ${host} serves`}
          value={mode as string}
          options={options}
          onChoice={(chosen) => onChange({ ...row, mode: chosen as RoutingMode })}
        />
        {mode === "redirect" && (
          <>
            <Choice
              aria-label={`Where ${host} redirects to`}
              value={to}
              options={Object.fromEntries(others.map((each) => [each, `to ${each}`]))}
              onChoice={(chosen) => onChange({ ...row, to: chosen })}
            />
            <Choice
              aria-label={`How ${host} redirects`}
              value={String(status)}
              options={redirectStatuses}
              onChoice={(chosen) => onChange({ ...row, status: Number(chosen) })}
            />
          </>
        )}
      </div>
    </li>
  );
}
