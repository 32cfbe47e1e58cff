/** One webhook endpoint: what it gets, its deliveries, and each attempt of them. */
import { useEffect, useState } from "preact/hooks";
import type {
  Delivery,
  DeliveryState,
  WebhookDetails,
} from "../../../contract/generated/platform.ts";
import type { Tone } from "../../../docs/icons.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { openDialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/form.tsx";
import { Ago, counted, Day, Left } from "../parts/format.tsx";
import { Menu } from "../parts/menu.tsx";
import { Badge, ErrorMessage, Loadable, Notice, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Paging, useWalk } from "../parts/paging.tsx";
import { go } from "../route.ts";
import { useAction, useGet } from "../useApi.ts";
import { AttemptView } from "./attempt.tsx";
import { EnableWebhook, SendTest } from "./webhookDialogs.tsx";
import { Types, WebhookState, webhookMenu } from "./webhooks.tsx";

export function WebhookPage({ id }: { id: string }) {
  const webhook = useGet("/webhooks/{webhook}", { path: { webhook: id } }, 15_000);
  const list = useGet("/webhooks", {});
  const { data } = webhook;
  const types = list.data?.types ?? [];
  const action = data && (
    <>
      <Button kind="primary" onClick={() => openDialog(<SendTest webhook={data} />)}>
        Send test
      </Button>
      <Menu
        label="More for this endpoint"
        items={webhookMenu({
          ...{ webhook: data, types, onChanged: webhook.reload },
          onRemoved: () => go("#/webhooks"),
        })}
      />
    </>
  );
  return (
    <Page
      title={data?.url ?? id}
      crumbs={[{ label: "Webhooks", href: "#/webhooks" }]}
      action={action}
    >
      <Loadable of={webhook} skeleton={<Skeleton rows={4} />}>
        {(shown) => (
          <>
            <Disabled webhook={shown} onChanged={webhook.reload} />
            <Facts webhook={shown} />
            <Deliveries id={id} types={types} onReplayed={webhook.reload} />
          </>
        )}
      </Loadable>
    </Page>
  );
}

interface DisabledProps {
  readonly webhook: WebhookDetails;
  readonly onChanged: () => void;
}

function Disabled({ webhook, onChanged }: DisabledProps) {
  const { disabled } = webhook;
  if (disabled === null) return null;
  const why = {
    operator: "It was disabled by the operator.",
    gone: "It responded 410, which asks for no more events.",
    failing: "All attempts for an event failed for three days, and nothing else was delivered.",
  }[disabled.reason];
  return (
    <Notice
      tone={disabled.reason === "operator" ? "neutral" : "trouble"}
      title="This endpoint is disabled"
    >
      <p>
        {why} That was <Ago at={disabled.at} past />. Events wait for it, for as long as they are
        kept.
      </p>
      <Button onClick={() => openDialog(<EnableWebhook webhook={webhook} onChanged={onChanged} />)}>
        Enable endpoint…
      </Button>
    </Notice>
  );
}

function Facts({ webhook }: { webhook: WebhookDetails }) {
  const { id, description, types, createdAt, pending, behind, oldSecretExpiresAt } = webhook;
  return (
    <dl class="endpoint-facts">
      <dt>State</dt>
      <dd>
        <WebhookState {...webhook} />
      </dd>
      <dt>Waiting</dt>
      <dd>
        {counted(pending, "delivery", "deliveries")}
        {behind > 0 && `, ${counted(behind, "event")} not looked at yet`}
      </dd>
      <dt>Events</dt>
      <dd>
        <Types types={types} />
      </dd>
      {description !== "" && (
        <>
          <dt>Description</dt>
          <dd>{description}</dd>
        </>
      )}
      {oldSecretExpiresAt !== null && (
        <>
          <dt>Secret</dt>
          <dd>
            Rotated. The old one also signs for <Left until={oldSecretExpiresAt} />.
          </dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <code>{id}</code>, created on <Day at={createdAt} />
      </dd>
    </dl>
  );
}

const states = {
  all: "All states",
  pending: "Pending",
  delivered: "Delivered",
  failed: "Failed",
} as const;

interface DeliveriesProps {
  readonly id: string;
  readonly types: readonly string[];
  readonly onReplayed: () => void;
}

function Deliveries({ id, types, onReplayed }: DeliveriesProps) {
  const [state, setState] = useState<keyof typeof states>("all");
  const [type, setType] = useState("");
  const walk = useWalk(`${state} ${type}`);
  const before = walk.cursor === undefined ? {} : { before: Number(walk.cursor) };
  const page = useGet(
    "/webhooks/{webhook}/deliveries",
    { path: { webhook: id }, query: { state, type, limit: 20, ...before } },
    5_000,
  );
  const work = useAction();
  const reload = () => {
    page.reload();
    onReplayed();
  };
  const replayAll = () =>
    work.run(async () => {
      const done = await call("post", "/webhooks/{webhook}/replay", { path: { webhook: id } });
      reload();
      notify(`${counted(done.replayed, "delivery", "deliveries")} will be sent again.`);
    });
  const named = types.filter((each) => !each.endsWith("*")).map((each) => [each, each]);
  return (
    <section aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">Deliveries</h2>
      <div class="filters">
        <Choice aria-label="State" value={state} options={states} onChoice={setState} />
        <Choice
          aria-label="Type"
          value={type}
          options={{ "": "All types", ...Object.fromEntries(named) }}
          onChoice={setType}
        />
        <Button onClick={replayAll} busy={work.busy}>
          Replay all failed
        </Button>
      </div>
      <ErrorMessage error={work.error} />
      <Loadable of={page} skeleton={<Skeleton rows={5} />}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="quiet">
              {state === "all" && type === ""
                ? "Nothing has happened yet that it gets."
                : "No such delivery."}
            </p>
          ) : (
            <ul class="rows">
              {items.map((each) => (
                <DeliveryRow key={each.eventId} id={id} delivery={each} onReplayed={reload} />
              ))}
            </ul>
          )
        }
      </Loadable>
      <Paging walk={walk} next={page.data?.next?.toString()} busy={page.busy} />
    </section>
  );
}

const tones: Readonly<Record<DeliveryState, Tone>> = {
  pending: "waiting",
  delivered: "fine",
  failed: "trouble",
};

interface RowProps {
  readonly id: string;
  readonly delivery: Delivery;
  readonly onReplayed: () => void;
}

function DeliveryRow({ id, delivery, onReplayed }: RowProps) {
  const [open, setOpen] = useState(false);
  const { eventId, type, state, createdAt, dueAt, attempts, lastStatus, lastError } = delivery;
  const last = lastError ?? (lastStatus === null ? undefined : `responded ${lastStatus}`);
  return (
    <li class="row">
      <div>
        <p>
          <code>{type}</code>
          <span class="quiet">event {eventId}</span>
          <Badge tone={tones[state]}>{states[state]}</Badge>
        </p>
        <p class="quiet">
          <Ago at={createdAt} past /> · {counted(attempts, "attempt")}
          {last !== undefined && ` · ${last}`}
          {dueAt !== null && attempts > 0 && (
            <>
              {" "}
              · next in <Left until={dueAt} />
            </>
          )}
        </p>
      </div>
      <Button
        expanded={open}
        onClick={() => setOpen(!open)}
        label={`${open ? "Hide" : "Show"} event ${eventId}`}
      >
        {open ? "Hide" : "Show"}
      </Button>
      {open && <DeliveryView id={id} delivery={delivery} onReplayed={onReplayed} />}
    </li>
  );
}

/** Loaded again when its line has changed. */
function DeliveryView({ id, delivery, onReplayed }: RowProps) {
  const { eventId, state, attempts, lastAt } = delivery;
  const path = { webhook: id, event: `${eventId}` };
  const details = useGet("/webhooks/{webhook}/deliveries/{event}", { path }, 5_000);
  const { reload } = details;
  useEffect(() => reload(), [state, attempts, lastAt, reload]);
  const work = useAction();
  const replay = () =>
    work.run(async () => {
      await call("post", "/webhooks/{webhook}/deliveries/{event}/replay", { path });
      onReplayed();
      reload();
      notify(`Event ${eventId} will be sent again.`);
    });
  return (
    <div class="delivery">
      <Loadable of={details} skeleton={<Skeleton rows={2} />}>
        {({ attempts: all, body }) =>
          all.length === 0 ? (
            <p class="quiet">It was not attempted yet.</p>
          ) : (
            <ol>
              {all.toReversed().map((attempt) => (
                <li key={attempt.at}>
                  <AttemptView attempt={attempt} body={body} />
                </li>
              ))}
            </ol>
          )
        }
      </Loadable>
      <ErrorMessage error={work.error} />
      <Button onClick={replay} busy={work.busy} label={`Replay event ${eventId}`}>
        Replay
      </Button>
    </div>
  );
}
