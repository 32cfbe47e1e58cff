/** Webhook endpoints and their state. */
import type { Webhook } from "../../../contract/generated/platform.ts";
import { Button } from "../parts/buttons.tsx";
import { openDialog } from "../parts/dialog.tsx";
import { Ago, counted } from "../parts/format.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { Badge, Empty, Loadable, Notice, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { webhookLink } from "../route.ts";
import { useGet } from "../useApi.ts";
import {
  DisableWebhook,
  EditWebhook,
  EnableWebhook,
  RemoveWebhook,
  RotateSecret,
  SendTest,
} from "./webhookDialogs.tsx";

export function Webhooks() {
  const webhooks = useGet("/webhooks", {}, 15_000);
  const { data } = webhooks;
  const create = data && (
    <Button
      kind="primary"
      onClick={() => openDialog(<EditWebhook types={data.types} onChanged={webhooks.reload} />)}
    >
      Create endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Events are sent to these endpoints as they happen, and signed."
      action={create}
    >
      <Loadable of={webhooks} skeleton={<Skeleton rows={3} tall />}>
        {({ webhooks: all, types }) =>
          all.length === 0 ? (
            <Empty title="No endpoint yet">
              <p>Create one for each program that wants to know what happens.</p>
            </Empty>
          ) : (
            <Table
              caption="Endpoints"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { head: "Endpoint", names: true, cell: (each) => <EndpointName {...each} /> },
                { head: "State", wide: true, cell: (each) => <WebhookState {...each} /> },
                { head: "Events", wide: true, cell: ({ types }) => <Types types={types} /> },
                {
                  head: "More",
                  end: true,
                  cell: (each) => (
                    <Menu
                      label={`More for ${each.url}`}
                      items={webhookMenu({ webhook: each, types, onChanged: webhooks.reload })}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Loadable>
    </Page>
  );
}

interface MenuProps {
  readonly webhook: Webhook;
  readonly types: readonly string[];
  readonly onChanged: () => void;
  readonly onRemoved?: () => void;
}

/** What can be done with an endpoint. */
export function webhookMenu({ webhook, types, onChanged, onRemoved }: MenuProps): MenuItem[] {
  const dialog = { webhook, onChanged };
  const edit = () => openDialog(<EditWebhook {...dialog} types={types} />);
  const enable = () => openDialog(<EnableWebhook {...dialog} />);
  const disable = () => openDialog(<DisableWebhook {...dialog} />);
  const remove = () =>
    openDialog(<RemoveWebhook webhook={webhook} onChanged={onRemoved ?? onChanged} />);
  return [
    { label: "Send test…", run: () => openDialog(<SendTest webhook={webhook} />) },
    { label: "Edit endpoint…", run: edit },
    { label: "Rotate secret…", run: () => openDialog(<RotateSecret {...dialog} />) },
    webhook.disabled === null
      ? { label: "Disable endpoint…", run: disable }
      : { label: "Enable endpoint…", run: enable },
    { label: "Remove endpoint…", run: remove, danger: true },
  ];
}

function EndpointName(webhook: Webhook) {
  const { id, url, description, types } = webhook;
  return (
    <>
      <a class="mono" href={webhookLink(id)}>
        {url}
      </a>
      {description !== "" && <span class="quiet">{description}</span>}
      <span class="slim">
        <WebhookState {...webhook} />
      </span>
      <span class="slim quiet">
        <Types types={types} />
      </span>
    </>
  );
}

const disabledReasons = {
  operator: "by the operator",
  gone: "responded 410",
  failing: "failed for three days",
} as const;

export function WebhookState({ disabled, failingSince }: Webhook) {
  if (disabled !== null) {
    const { at, reason } = disabled;
    return (
      <>
        <Badge tone={reason === "operator" ? "neutral" : "trouble"}>Disabled</Badge>{" "}
        <span class="quiet">
          {disabledReasons[reason]}, <Ago at={at} past />
        </span>
      </>
    );
  }
  if (failingSince === null) return <Badge tone="fine">Delivering</Badge>;
  return (
    <>
      <Badge tone="waiting">Failing</Badge>{" "}
      <span class="quiet">
        first failure <Ago at={failingSince} past />
      </span>
    </>
  );
}

export function Types({ types }: { types: Webhook["types"] }) {
  if (types === "all") return <>Everything</>;
  return (
    <span class="scopes">
      {types.map((type) => (
        <code key={type}>{type}</code>
      ))}
    </span>
  );
}

/** On the overview: endpoints that the service has given up. */
export function WebhookTrouble() {
  const webhooks = useGet("/webhooks", {}, 30_000);
  const lost = (webhooks.data?.webhooks ?? []).filter(
    ({ disabled }) => disabled !== null && disabled.reason !== "operator",
  );
  if (lost.length === 0) return null;
  return (
    <Notice tone="trouble" title={`${counted(lost.length, "webhook endpoint")} disabled`}>
      <ul>
        {lost.map((each) => (
          <li key={each.id}>
            <a class="mono" href={webhookLink(each.id)}>
              {each.url}
            </a>{" "}
            {each.disabled?.reason === "gone" ? "responded 410." : "failed for three days."}
          </li>
        ))}
      </ul>
      <p>Events wait. Repair the receiver, enable the endpoint, and replay what has failed.</p>
    </Notice>
  );
}
